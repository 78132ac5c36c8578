"""The limits of what is read, each declared once. Nothing that anybody works with comes near them."""

from fractions import Fraction

MOST_URDF_BYTES = 16 * 2**20
"""The largest file of URDF, and of SDF with all that it includes. The largest of forty-seven real robots has 0.2 MiB."""

MOST_MESH_BYTES, MOST_MODEL_FILES = 128 * 2**20, 200
"""The largest size of all meshes that a model of MJCF takes inertia from, and the most files that it includes."""

MOST_COPIES = 20_000
"""The most elements that replicates of MJCF make."""

MOST_FACES = 500_000
"""The most triangles of one mesh whose inertia is computed."""

MOST_CONSTRAINT_BYTES, MOST_CONSTRAINTS = 2**20, 200
"""The largest file of constraints, and the most constraints in it."""

MOST_JSON_BYTES = 128 * 2**20
"""The largest file of results, baselines, certificates or outcomes of the catalogue. A default run writes about 3 MiB."""

MOST_RECORDED_BYTES = 64 * 2**20
"""The largest file of recorded data, also after it is unpacked. 4096 states of ur5 with inverse dynamics have 2 MiB."""

MOST_RECORDED_COLUMNS = 100_000
"""The most columns of a file of recorded data."""

MOST_JSON_PARTS = 2_000_000
"""The most objects and arrays in a JSON file: they take far more memory than their text."""

MOST_JSON_LEVELS = 50
"""The deepest nesting of JSON objects and arrays."""

MOST_XML_ELEMENTS = 250_000
"""The most elements of an XML document, visuals and plugins included."""

MOST_XML_LEVELS = 100
"""The deepest nesting of XML elements."""

MOST_LINKS = 2000
"""The most links of a file, those outboard of fixed joints included."""

MOST_FRAMES = 5 * MOST_LINKS
"""The most frames of a document of SDF: links, joints, frames and models."""

MOST_INCLUDES, MOST_INCLUDE_LEVELS = 200, 20
"""The most files that a document of SDF includes, those that included files include among them, and the deepest nesting."""

MOST_BODIES = 1000
"""The most bodies that move."""

MOST_PROVEN = 25_000
"""The most entries of the mass matrix that are not always zero, in one triangle, in a proof. A chain of 200 joints has 20 100;
to prove its dynamics takes 7 GiB. A constraint Jacobian has as many entries at most."""

MOST_DIGITS = 300
"""The most characters of one number, in URDF and in JSON. A float64 between :data:`SMALLEST` and :data:`LARGEST` has fewer
digits, and so has the degree of a function in a proof."""

SMALLEST, LARGEST = Fraction(1, 10**40), Fraction(10**40)
"""The magnitudes of a mechanism's numbers other than zero, of vectors the largest component's. The dynamics multiplies up to six
of them, and float64 ends near 1e±308. Measured: mechanisms with such numbers, mixed at random, give finite results."""

MOST_RADIANS = 10**6
"""The largest angle that describes a placement. float64 does not tell larger angles apart well enough."""

LONGEST_BITS, KEPT_BITS = 2048, 512
"""A number of welded bodies that has become longer than the first is rounded to as many significant bits as the second."""

LONGEST_SENTENCE = 500
"""The most characters of an error's message."""
