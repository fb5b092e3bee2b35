"""Write the parts of the documentation that come from the code: ``make docs``."""

from tools.docs.parts import ROOT, made, pages

for place in pages():
    file = ROOT / place
    file.write_text(made(place, file.read_text()))
