"""Case files as they are written: their parts with places, their shapes, the cases in them."""
