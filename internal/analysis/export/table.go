package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// table writes rows of a struct as CSV or Parquet. The columns are the struct's fields, named by their tags; a pointer is a
// column that may be empty.
type table[T any] struct {
	file    *file
	parquet *parquet.GenericWriter[T] // nil: CSV
	batch   []T
	line    []byte
}

// batchRows is the number of rows that are handed over at a time, and groupRows that of a row group of Parquet, which
// stays in memory until it is whole.
const (
	batchRows = 1024
	groupRows = 1 << 17
)

// openTable creates a table.
func openTable[T any](e *Export, name string) (*table[T], error) {
	f, err := e.create(name + "." + string(e.options.Format))
	if err != nil {
		return nil, err
	}
	return startTable[T](f, e.options.Format)
}

// WriteTable writes rows as CSV or Parquet. The columns are the fields of T, named by their tags parquet.
func WriteTable[T any](w io.Writer, format Format, rows []T) error {
	f := &file{w: bufio.NewWriterSize(w, 1<<16)}
	t, err := startTable[T](f, format)
	if err != nil {
		return err
	}
	for i := range rows {
		if err := t.put(rows[i]); err != nil {
			return err
		}
	}
	return errors.Join(t.close(), f.w.Flush())
}

// startTable begins a table in a file.
func startTable[T any](f *file, format Format) (*table[T], error) {
	t := &table[T]{file: f, batch: make([]T, 0, batchRows)}
	if format == Parquet {
		t.parquet = parquet.NewGenericWriter[T](f, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(groupRows),
			parquet.CreatedBy("touchline", "1", "export"))
		return t, nil
	}
	_, err := f.Write([]byte(strings.Join(columns[T](), ",") + "\n"))
	return t, err
}

// columns returns the names of the columns of a table.
func columns[T any]() (names []string) {
	of := reflect.TypeFor[T]()
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("parquet"), ",")
		names = append(names, name)
	}
	return names
}

// put adds a row.
func (t *table[T]) put(row T) error {
	t.batch = append(t.batch, row)
	t.file.rows++
	if len(t.batch) < batchRows {
		return nil
	}
	return t.flush()
}

// flush writes the rows that wait.
func (t *table[T]) flush() error {
	rows := t.batch
	t.batch = t.batch[:0]
	if t.parquet != nil {
		_, err := t.parquet.Write(rows)
		return err
	}
	for i := range rows {
		v := reflect.ValueOf(&rows[i]).Elem()
		b := t.line[:0]
		for k := range v.NumField() {
			if k > 0 {
				b = append(b, ',')
			}
			b = appendField(b, v.Field(k))
		}
		t.line = append(b, '\n')
		if _, err := t.file.Write(t.line); err != nil {
			return err
		}
	}
	return nil
}

// close writes the rows that wait, and the end of the table.
func (t *table[T]) close() error {
	if err := t.flush(); err != nil || t.parquet == nil {
		return err
	}
	return t.parquet.Close()
}

// appendField appends a field of CSV; nil is an empty one.
func appendField(b []byte, v reflect.Value) []byte {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return b
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.Float32:
		return strconv.AppendFloat(b, v.Float(), 'f', -1, 32)
	case reflect.Float64:
		return strconv.AppendFloat(b, v.Float(), 'f', -1, 64)
	case reflect.Int8, reflect.Int16, reflect.Int32:
		return strconv.AppendInt(b, v.Int(), 10)
	case reflect.Uint64:
		return strconv.AppendUint(b, v.Uint(), 10)
	case reflect.String:
		text := v.String()
		if !strings.ContainsAny(text, ",\"\r\n") {
			return append(b, text...)
		}
		return append(append(append(b, '"'), strings.ReplaceAll(text, `"`, `""`)...), '"')
	}
	panic(fmt.Sprintf("export: no column of %v", v.Type()))
}
