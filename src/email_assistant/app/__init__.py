"""What everything is built from: a frozen dataclass and a function a level. Building opens nothing: that is done on first use."""
