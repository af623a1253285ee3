-- A studio of form 0001, with the tables that migration 0001 made; it is never changed.
PRAGMA application_id = 1095979860;
BEGIN TRANSACTION;
CREATE TABLE studio_attempts (
	"key" VARCHAR(200) NOT NULL,
	count INTEGER NOT NULL,
	until VARCHAR(40) DEFAULT '' NOT NULL,
	CONSTRAINT pk_studio_attempts PRIMARY KEY ("key")
);
CREATE TABLE studio_changes (
	work INTEGER NOT NULL,
	version INTEGER NOT NULL,
	kind VARCHAR(20) NOT NULL,
	request VARCHAR(64) NOT NULL,
	units TEXT NOT NULL,
	at VARCHAR(40) DEFAULT '' NOT NULL,
	CONSTRAINT pk_studio_changes PRIMARY KEY (work, version),
	CONSTRAINT fk_studio_changes_work FOREIGN KEY(work) REFERENCES studio_work (id) ON DELETE CASCADE
);
CREATE TABLE studio_comments (
	id INTEGER NOT NULL,
	item INTEGER NOT NULL,
	unit TEXT NOT NULL,
	person INTEGER NOT NULL,
	text TEXT NOT NULL,
	at VARCHAR(40) DEFAULT '' NOT NULL,
	CONSTRAINT pk_studio_comments PRIMARY KEY (id),
	CONSTRAINT fk_studio_comments_item FOREIGN KEY(item) REFERENCES studio_items (id) ON DELETE CASCADE,
	CONSTRAINT fk_studio_comments_person FOREIGN KEY(person) REFERENCES studio_people (id)
);
CREATE TABLE studio_events (
	id INTEGER NOT NULL,
	project INTEGER,
	item INTEGER,
	person INTEGER,
	kind VARCHAR(40) NOT NULL,
	detail TEXT NOT NULL,
	at VARCHAR(40) DEFAULT '' NOT NULL,
	CONSTRAINT pk_studio_events PRIMARY KEY (id),
	CONSTRAINT fk_studio_events_project FOREIGN KEY(project) REFERENCES studio_projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_studio_events_item FOREIGN KEY(item) REFERENCES studio_items (id) ON DELETE CASCADE,
	CONSTRAINT fk_studio_events_person FOREIGN KEY(person) REFERENCES studio_people (id)
);
CREATE TABLE studio_fetches (
	digest VARCHAR(64) NOT NULL,
	item INTEGER NOT NULL,
	person INTEGER NOT NULL,
	address TEXT NOT NULL,
	at VARCHAR(40) DEFAULT '' NOT NULL,
	CONSTRAINT pk_studio_fetches PRIMARY KEY (digest, item, person),
	CONSTRAINT fk_studio_fetches_digest FOREIGN KEY(digest) REFERENCES studio_snapshots (digest),
	CONSTRAINT fk_studio_fetches_item FOREIGN KEY(item) REFERENCES studio_items (id) ON DELETE CASCADE,
	CONSTRAINT fk_studio_fetches_person FOREIGN KEY(person) REFERENCES studio_people (id)
);
CREATE TABLE studio_flags (
	id INTEGER NOT NULL,
	project INTEGER NOT NULL,
	item INTEGER NOT NULL,
	unit TEXT NOT NULL,
	severity FLOAT NOT NULL,
	reasons TEXT NOT NULL,
	decision VARCHAR(20) NOT NULL,
	label TEXT NOT NULL,
	note TEXT NOT NULL,
	person INTEGER,
	at VARCHAR(40) DEFAULT '' NOT NULL,
	CONSTRAINT pk_studio_flags PRIMARY KEY (id),
	CONSTRAINT uq_studio_flags_item UNIQUE (item, unit),
	CONSTRAINT fk_studio_flags_project FOREIGN KEY(project) REFERENCES studio_projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_studio_flags_item FOREIGN KEY(item) REFERENCES studio_items (id) ON DELETE CASCADE,
	CONSTRAINT fk_studio_flags_person FOREIGN KEY(person) REFERENCES studio_people (id)
);
CREATE TABLE studio_invitations (
	digest VARCHAR(64) NOT NULL,
	role VARCHAR(20) NOT NULL,
	project INTEGER,
	note TEXT NOT NULL,
	"by" INTEGER NOT NULL,
	at VARCHAR(40) DEFAULT '' NOT NULL,
	until VARCHAR(40) DEFAULT '' NOT NULL,
	used_by INTEGER,
	CONSTRAINT pk_studio_invitations PRIMARY KEY (digest),
	CONSTRAINT fk_studio_invitations_project FOREIGN KEY(project) REFERENCES studio_projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_studio_invitations_by FOREIGN KEY("by") REFERENCES studio_people (id),
	CONSTRAINT fk_studio_invitations_used_by FOREIGN KEY(used_by) REFERENCES studio_people (id)
);
CREATE TABLE studio_items (
	id INTEGER NOT NULL,
	project INTEGER NOT NULL,
	position INTEGER NOT NULL,
	purpose VARCHAR(20) NOT NULL,
	example TEXT NOT NULL,
	record TEXT NOT NULL,
	source VARCHAR(64) NOT NULL,
	model TEXT NOT NULL,
	batch INTEGER NOT NULL,
	k INTEGER NOT NULL,
	state VARCHAR(20) NOT NULL,
	CONSTRAINT pk_studio_items PRIMARY KEY (id),
	CONSTRAINT uq_studio_items_place UNIQUE (project, purpose, position),
	CONSTRAINT uq_studio_items_example UNIQUE (project, purpose, example),
	CONSTRAINT fk_studio_items_project FOREIGN KEY(project) REFERENCES studio_projects (id) ON DELETE CASCADE
);
CREATE TABLE studio_judgements (
	id INTEGER NOT NULL,
	project INTEGER NOT NULL,
	item INTEGER NOT NULL,
	author VARCHAR(200) NOT NULL,
	kind VARCHAR(20) NOT NULL,
	person INTEGER,
	stage VARCHAR(20) NOT NULL,
	round INTEGER NOT NULL,
	is_current BOOLEAN NOT NULL,
	at VARCHAR(40) DEFAULT '' NOT NULL,
	record TEXT NOT NULL,
	CONSTRAINT pk_studio_judgements PRIMARY KEY (id),
	CONSTRAINT uq_studio_judgements_item UNIQUE (item, author, kind, round),
	CONSTRAINT fk_studio_judgements_project FOREIGN KEY(project) REFERENCES studio_projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_studio_judgements_item FOREIGN KEY(item) REFERENCES studio_items (id) ON DELETE CASCADE,
	CONSTRAINT fk_studio_judgements_person FOREIGN KEY(person) REFERENCES studio_people (id)
);
CREATE TABLE studio_members (
	project INTEGER NOT NULL,
	person INTEGER NOT NULL,
	at VARCHAR(40) DEFAULT '' NOT NULL,
	passed_at VARCHAR(40) DEFAULT '' NOT NULL,
	quiz_score FLOAT,
	quiz_near FLOAT,
	quiz_attempts INTEGER DEFAULT '0' NOT NULL,
	CONSTRAINT pk_studio_members PRIMARY KEY (project, person),
	CONSTRAINT fk_studio_members_project FOREIGN KEY(project) REFERENCES studio_projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_studio_members_person FOREIGN KEY(person) REFERENCES studio_people (id)
);
CREATE TABLE studio_people (
	id INTEGER NOT NULL,
	name VARCHAR(80) NOT NULL,
	folded VARCHAR(240) NOT NULL,
	password TEXT NOT NULL,
	role VARCHAR(20) NOT NULL,
	is_active BOOLEAN NOT NULL,
	at VARCHAR(40) DEFAULT '' NOT NULL,
	CONSTRAINT pk_studio_people PRIMARY KEY (id),
	CONSTRAINT uq_studio_people_folded UNIQUE (folded)
);
INSERT INTO "studio_people" VALUES(1,'ann','ann','','annotator',1,'');
CREATE TABLE studio_projects (
	id INTEGER NOT NULL,
	slug VARCHAR(80) NOT NULL,
	name VARCHAR(200) NOT NULL,
	settings TEXT NOT NULL,
	dataset TEXT NOT NULL,
	at VARCHAR(40) DEFAULT '' NOT NULL,
	CONSTRAINT pk_studio_projects PRIMARY KEY (id),
	CONSTRAINT uq_studio_projects_slug UNIQUE (slug)
);
CREATE TABLE studio_related (
	item INTEGER NOT NULL,
	record TEXT NOT NULL,
	CONSTRAINT pk_studio_related PRIMARY KEY (item),
	CONSTRAINT fk_studio_related_item FOREIGN KEY(item) REFERENCES studio_items (id) ON DELETE CASCADE
);
CREATE TABLE studio_secrets (
	name VARCHAR(40) NOT NULL,
	value TEXT NOT NULL,
	CONSTRAINT pk_studio_secrets PRIMARY KEY (name)
);
CREATE TABLE studio_sessions (
	digest VARCHAR(64) NOT NULL,
	person INTEGER NOT NULL,
	csrf VARCHAR(64) NOT NULL,
	at VARCHAR(40) DEFAULT '' NOT NULL,
	until VARCHAR(40) DEFAULT '' NOT NULL,
	CONSTRAINT pk_studio_sessions PRIMARY KEY (digest),
	CONSTRAINT fk_studio_sessions_person FOREIGN KEY(person) REFERENCES studio_people (id)
);
CREATE TABLE studio_snapshots (
	digest VARCHAR(64) NOT NULL,
	address TEXT NOT NULL,
	title TEXT NOT NULL,
	text TEXT NOT NULL,
	content BLOB,
	content_type TEXT NOT NULL,
	at VARCHAR(40) DEFAULT '' NOT NULL,
	CONSTRAINT pk_studio_snapshots PRIMARY KEY (digest)
);
CREATE TABLE studio_version (version_num VARCHAR(32) NOT NULL);
INSERT INTO "studio_version" VALUES('0001');
CREATE TABLE studio_work (
	id INTEGER NOT NULL,
	project INTEGER NOT NULL,
	item INTEGER NOT NULL,
	person INTEGER NOT NULL,
	stage VARCHAR(20) NOT NULL,
	state VARCHAR(20) NOT NULL,
	version INTEGER NOT NULL,
	draft TEXT NOT NULL,
	seconds INTEGER NOT NULL,
	later INTEGER DEFAULT '0' NOT NULL,
	started_at VARCHAR(40) DEFAULT '' NOT NULL,
	submitted_at VARCHAR(40) DEFAULT '' NOT NULL,
	CONSTRAINT pk_studio_work PRIMARY KEY (id),
	CONSTRAINT uq_studio_work_item UNIQUE (item, person, stage),
	CONSTRAINT fk_studio_work_project FOREIGN KEY(project) REFERENCES studio_projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_studio_work_item FOREIGN KEY(item) REFERENCES studio_items (id) ON DELETE CASCADE,
	CONSTRAINT fk_studio_work_person FOREIGN KEY(person) REFERENCES studio_people (id)
);
CREATE INDEX ix_studio_items_batch ON studio_items (project, batch);
CREATE INDEX ix_studio_items_state ON studio_items (project, state);
CREATE INDEX ix_studio_work_queue ON studio_work (project, person, stage, state);
CREATE INDEX ix_studio_judgements_author ON studio_judgements (project, author);
CREATE INDEX ix_studio_comments_item ON studio_comments (item);
CREATE INDEX ix_studio_events_project ON studio_events (project, item);
COMMIT;
