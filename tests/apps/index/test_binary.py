import numpy as np
import pytest
from pgvector import HalfVector

from apps.index import binary


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        ("VALUES (1::bigint), (-(2::bigint ^ 62)::bigint)", ">i8", [1, -(2**62)]),
        ("VALUES (7::smallint), (-3::smallint)", ">i2", [7, -3]),
        ("VALUES (0.5::real), (-1.25::real)", ">f4", [0.5, -1.25]),
        ("VALUES (0.1::float8), ('infinity'::float8)", ">f8", [0.1, np.inf]),
        ("SELECT 1::bigint WHERE false", ">i8", []),
    ],
)
def test_an_array_arrives_as_its_values(in_scope, values, dtype, expected):
    with binary.cursor() as cursor:
        cursor.execute(f"SELECT array_send(array_agg(v)) FROM ({values}) AS t (v)")
        (sent,) = cursor.fetchone()

    assert binary.column(sent, dtype).tolist() == expected


def test_a_vector_arrives_as_its_half_precision_values(in_scope):
    vector = np.array([0.1, -0.25, 3.0], dtype=np.float32)

    with binary.cursor() as cursor:
        cursor.execute("SELECT (%(vector)s::halfvec)::real[]", {"vector": HalfVector(vector)})
        (arrived,) = cursor.fetchone()

    assert arrived == vector.astype(np.float16).astype(np.float64).tolist()
