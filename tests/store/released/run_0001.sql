-- A run of form 0001, with the tables that migration 0001 made; it is never changed.
PRAGMA application_id = 1095979865;
BEGIN TRANSACTION;
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE examples (
	run INTEGER NOT NULL,
	position INTEGER NOT NULL,
	example TEXT NOT NULL,
	source_characters INTEGER NOT NULL,
	CONSTRAINT pk_examples PRIMARY KEY (run, position),
	CONSTRAINT fk_examples_run FOREIGN KEY(run) REFERENCES runs (id) ON DELETE CASCADE
);
INSERT INTO "examples" VALUES(1,0,'ex0',12);
CREATE TABLE judgements (
	run INTEGER NOT NULL,
	position INTEGER NOT NULL,
	round INTEGER NOT NULL,
	author TEXT NOT NULL,
	at VARCHAR(40) NOT NULL,
	supersedes TEXT NOT NULL,
	is_current BOOLEAN NOT NULL,
	attempt INTEGER NOT NULL,
	failures INTEGER NOT NULL,
	retryable INTEGER NOT NULL,
	characters_read INTEGER NOT NULL,
	record TEXT NOT NULL,
	CONSTRAINT pk_judgements PRIMARY KEY (run, position, round),
	CONSTRAINT fk_judgements_run FOREIGN KEY(run) REFERENCES runs (id) ON DELETE CASCADE
);
INSERT INTO "judgements" VALUES(1,0,1,'overlap','','',1,0,0,0,12,'{"example":"ex0","author":{"name":"overlap","version":"1.0"},"taxonomy":"gray7","units":[{"id":"s1","kind":"sentence","text":"It sat.","start":0,"end":7,"verdict":{"label":"explicitly-supported"}},{"id":"s2","kind":"sentence","text":"It ate.","start":8,"end":15,"verdict":{"label":"explicitly-supported"}},{"id":"s3","kind":"sentence","text":"It ran.","start":16,"end":23,"verdict":{"label":"explicitly-supported"}}],"source_characters":12,"characters_read":12}');
CREATE TABLE replies (
	run INTEGER NOT NULL,
	"key" VARCHAR(80) NOT NULL,
	reply TEXT NOT NULL,
	CONSTRAINT pk_replies PRIMARY KEY (run, "key"),
	CONSTRAINT fk_replies_run FOREIGN KEY(run) REFERENCES runs (id) ON DELETE CASCADE
);
INSERT INTO "replies" VALUES(1,'k','v');
CREATE TABLE runs (
	id INTEGER NOT NULL,
	name VARCHAR(200) NOT NULL,
	manifest TEXT NOT NULL,
	facts TEXT DEFAULT '{}' NOT NULL,
	CONSTRAINT pk_runs PRIMARY KEY (id),
	CONSTRAINT uq_runs_name UNIQUE (name)
);
INSERT INTO "runs" VALUES(1,'a','{"author":{"name":"overlap","version":"1.0"},"version":"0.2.0","detector":"overlap","taxonomy":"gray7","dataset":"a.jsonl","examples":9}','{}');
CREATE TABLE searches (
	run INTEGER NOT NULL,
	"key" VARCHAR(80) NOT NULL,
	found TEXT NOT NULL,
	CONSTRAINT pk_searches PRIMARY KEY (run, "key"),
	CONSTRAINT fk_searches_run FOREIGN KEY(run) REFERENCES runs (id) ON DELETE CASCADE
);
CREATE TABLE units (
	run INTEGER NOT NULL,
	position INTEGER NOT NULL,
	round INTEGER NOT NULL,
	unit TEXT NOT NULL,
	kind VARCHAR(20) NOT NULL,
	parent TEXT NOT NULL,
	is_part BOOLEAN NOT NULL,
	label TEXT,
	is_scored BOOLEAN NOT NULL,
	reason VARCHAR(20),
	CONSTRAINT pk_units PRIMARY KEY (run, position, round, unit),
	CONSTRAINT fk_units_run FOREIGN KEY(run) REFERENCES runs (id) ON DELETE CASCADE
);
INSERT INTO "units" VALUES(1,0,1,'s1','sentence','',0,'explicitly-supported',0,NULL);
INSERT INTO "units" VALUES(1,0,1,'s2','sentence','',0,'explicitly-supported',0,NULL);
INSERT INTO "units" VALUES(1,0,1,'s3','sentence','',0,'explicitly-supported',0,NULL);
CREATE INDEX ix_judgements_retryable ON judgements (run, retryable);
COMMIT;
