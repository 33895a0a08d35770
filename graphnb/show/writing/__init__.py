"""What everything shown is written with: values in bounds, words, columns, HTML elements, colours."""
