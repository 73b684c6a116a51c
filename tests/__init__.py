"""A regular package: it comes before a package of this name that another project has installed."""
