"""Write the parts of the documentation that come from the code: ``make docs``."""

from tests.docs.parts import PARTS, ROOT, made

for place in sorted({name for name, _ in PARTS}):
    file = ROOT / place
    file.write_text(made(place, file.read_text()))
