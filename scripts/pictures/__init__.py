"""The pictures in docs/pictures, drawn from the recorded results of measure/results."""
