-- it's a comment
CREATE TABLE IF NOT EXISTS users (
  id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL DEFAULT 'it''s', data JSONB,
  CONSTRAINT fk FOREIGN KEY (id) REFERENCES other (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX i ON users (lower(name)) WHERE id > 0;
INSERT INTO users (id, name) VALUES (1, 'a'), (?, :name) ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING id;
WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 9)
SELECT u.id, count(*) FILTER (WHERE x) AS n, row_number() OVER (PARTITION BY a ORDER BY b DESC) r, data->>'k'
FROM users u LEFT JOIN LATERAL (SELECT 1) l ON TRUE WHERE u.id = ANY(ARRAY[1,2]) AND name ILIKE '%x%'
GROUP BY 1 HAVING count(*) > 1 ORDER BY 2 NULLS LAST LIMIT 3 OFFSET 4;
UPDATE users SET name = CASE WHEN id = 1 THEN 'a' ELSE name END WHERE id IN (1, 2);
DELETE FROM users USING other WHERE users.id = other.id;
ALTER TABLE users ADD COLUMN age INT;
DROP TABLE IF EXISTS users;
