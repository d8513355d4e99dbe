package cluster

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"
)

// path reads one path of the command line: a file, whatever its name, or a directory with everything below it. There must be something
// in it that Tocsin reads.
func (l *loader) path(path string) error {
	l.found, l.left = 0, map[string]int{}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, reason(err))
	}
	broken := l.broken
	if info.IsDir() {
		err = l.directory(path)
	} else {
		err = l.file(path)
	}
	switch {
	case err != nil:
		return err
	case l.found > 0:
		return nil
	case len(l.left) > 0:
		return fmt.Errorf("%s: holds only kinds that are not read (%s): add CronJobs, Jobs, Pods and others with kubectl get … -o yaml",
			path, summary(l.left))
	case l.broken > broken:
		return fmt.Errorf("%s: nothing in it can be read", path)
	}
	return fmt.Errorf("%s: holds no object: write it with kubectl get … -o yaml", path)
}

func (l *loader) directory(root string) error {
	// A link to a directory is only followed at the top: the hidden ones below, such as a mounted ConfigMap's, lead to the same files.
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return fmt.Errorf("%s: %w", root, reason(err))
	}
	return filepath.WalkDir(real, func(path string, entry fs.DirEntry, err error) error {
		shown := filepath.Join(root, strings.TrimPrefix(path, real))
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", shown, reason(err))
		case path != real && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() || !isSnapshotFile(path):
			return nil
		}
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("%s: %w", shown, reason(err))
		}
		if !info.Mode().IsRegular() {
			return nil
		}
		return l.file(shown)
	})
}

func isSnapshotFile(path string) bool {
	switch filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz")) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

func (l *loader) file(path string) error {
	data, err := readFile(path, l.options.MaxFileBytes)
	if corrupt, ok := errors.AsType[*gzipError](err); ok {
		if !l.options.Lenient {
			return fmt.Errorf("%s: %w (write it anew, or leave it out with --snapshot-lenient)", path, corrupt)
		}
		if l.broken++; l.broken <= maxComplaints {
			l.options.Logger.Warn("file left out of the snapshot", "file", path, "err", corrupt)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, reason(err))
	}
	return l.documents(path, data)
}

// reason drops the operation and path that os puts before an error, which is named by its file already.
func reason(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// gzipError tells that a file is cut or corrupt. What came before cannot be told from what it was.
type gzipError struct{ err error }

func (e *gzipError) Error() string { return "gzip: " + strings.TrimPrefix(e.err.Error(), "gzip: ") }
func (e *gzipError) Unwrap() error { return e.err }

var gzipMagic = []byte{0x1f, 0x8b}

// readFile gives a file's text in UTF-8, decompressed when it is gzip, whatever its name says.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := readAll(f, limit)
	if err != nil {
		return nil, err
	}
	return plain(data, limit)
}

// plain decompresses gzip and turns UTF-16, which PowerShell writes when it redirects output, into UTF-8.
func plain(data []byte, limit int64) ([]byte, error) {
	if bytes.HasPrefix(data, gzipMagic) {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, &gzipError{err}
		}
		if data, err = io.ReadAll(io.LimitReader(z, limit+1)); err != nil {
			return nil, &gzipError{err}
		}
		if data, err = within(data, limit); err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
	}
	switch {
	case bytes.HasPrefix(data, []byte{0xef, 0xbb, 0xbf}):
		return data[3:], nil
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		return fromUTF16(data[2:], binary.LittleEndian), nil
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return fromUTF16(data[2:], binary.BigEndian), nil
	}
	return data, nil
}

func readAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	return within(data, limit)
}

// within refuses more than the limit.
func within(data []byte, limit int64) ([]byte, error) {
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("more than %d MiB: split it", limit>>20)
	}
	return data, nil
}

func fromUTF16(data []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}
