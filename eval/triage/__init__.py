"""Whether new mail is ignored, shown or answered as a sensible person would want it."""
