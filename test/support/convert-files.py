"""Reads the files of one type of record with the tools of analysts, and writes what they read as CSV and JSON.

Arguments: the folder with <type>.csv, .ndjson, .json, .parquet and catalog.sqlite, the type, a folder for the results.
"""

import json
import pathlib
import subprocess
import sys
import warnings

import duckdb
import pandas
import polars

warnings.filterwarnings("ignore")
source, kind, target = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
rows = json.loads((source / f"{kind}.json").read_text())["data"]


def of(ending):
    return str(source / f"{kind}.{ending}")


def to(name):
    return str(target / name)


for name, relation in {
    "parquet": f"'{of('parquet')}'",
    "csv": f"read_csv('{of('csv')}')",
    "ndjson": f"read_json('{of('ndjson')}')",
}.items():
    duckdb.sql(f"COPY (FROM {relation}) TO '{to(f'duckdb-{name}.csv')}'")
    duckdb.sql(f"COPY (FROM {relation}) TO '{to(f'duckdb-{name}.ndjson')}'")
    duckdb.sql(f"COPY (FROM {relation}) TO '{to(f'duckdb-{name}.json')}' (ARRAY true)")

frames = {
    "parquet": pandas.read_parquet(of("parquet")),
    "parquet-arrow": pandas.read_parquet(of("parquet"), dtype_backend="pyarrow"),
    "csv": pandas.read_csv(of("csv")),
    "ndjson": pandas.read_json(of("ndjson"), lines=True),
    "json": pandas.DataFrame(rows),
}
for name, frame in frames.items():
    frame.to_csv(to(f"pandas-{name}.csv"), index=False)
    frame.to_csv(to(f"pandas-{name}-index.csv"))
    frame.to_json(to(f"pandas-{name}.json"), orient="records")
    frame.to_json(to(f"pandas-{name}.ndjson"), orient="records", lines=True, date_format="iso")

for name, frame in {
    "parquet": polars.read_parquet(of("parquet")),
    "csv": polars.read_csv(of("csv")),
    "ndjson": polars.read_ndjson(of("ndjson")),
}.items():
    frame.write_json(to(f"polars-{name}.json"))
    frame.write_ndjson(to(f"polars-{name}.ndjson"))
    lists = [column for column, dtype in frame.schema.items() if dtype == polars.List]
    if lists == []:
        frame.write_csv(to(f"polars-{name}.csv"))
    else:
        # CSV has no lists: a text of JSON is one.
        text = [polars.col(column).map_elements(lambda items: json.dumps(items.to_list()), polars.String) for column in lists]
        frame.with_columns(text).write_csv(to(f"polars-{name}.csv"))

for option in ["csv", "json"]:
    command = ["sqlite3", f"-{option}", "-header", str(source / "catalog.sqlite"), f"SELECT * FROM {kind}"]
    (target / f"sqlite3.{option}").write_bytes(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
