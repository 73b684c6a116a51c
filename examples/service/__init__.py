"""A service that predicts, learns from labels that arrive later, and loses no acknowledged label."""
