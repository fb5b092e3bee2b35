"""The features, each in a folder named like its own."""
