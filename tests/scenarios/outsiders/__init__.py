"""Small repositories of somebody who had not read the code, and what must come out."""
