// Go 1.19 or newer: go run library.go beach.jpg https://example.com/clip.mp4 film.mp4

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

var (
	base      = strings.TrimRight(os.Getenv("POSTSHELF_URL"), "/") + "/v1"
	token     = os.Getenv("POSTSHELF_TOKEN")
	workspace = os.Getenv("POSTSHELF_WORKSPACE")
	library   = base + "/workspaces/" + workspace + "/media_contents"
)

type Item struct {
	ID           string  `json:"id"`
	Name         string  `json:"name"`
	Status       string  `json:"status"`
	ErrorMessage *string `json:"error_message"`
}

// Error is an answer that is no success; Errors says what is wrong with each field on a 422.
type Error struct {
	Status  int                 `json:"-"`
	Message string              `json:"message"`
	Errors  map[string][]string `json:"errors"`
}

func (e *Error) Error() string {
	var sentences []string
	for _, of := range e.Errors {
		sentences = append(sentences, of...)
	}
	if len(sentences) == 0 {
		sentences = []string{e.Message}
	}
	return fmt.Sprintf("%d: %s", e.Status, strings.Join(sentences, " "))
}

// send reads the JSON of the answer into answer, unless that is nil.
func send(request *http.Request, answer any) error {
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		refusal := &Error{Status: response.StatusCode, Message: response.Status}
		_ = json.NewDecoder(response.Body).Decode(refusal) // What stands in front of the service may answer too.
		return refusal
	}
	if answer == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

func call(method, url, contentType string, body io.Reader, length int64, answer any) error {
	request, err := http.NewRequest(method, url, body)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
		request.ContentLength = length
	}
	return send(request, answer)
}

func get(url string, answer any) error { return call("GET", url, "", nil, 0, answer) }

func post(url string, fields, answer any) error {
	body, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return call("POST", url, "application/json", bytes.NewReader(body), int64(len(body)), answer)
}

// progress tells how far a file is while it is read.
type progress struct {
	file       *os.File
	sent, size int64
}

func open(path string) (*progress, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return &progress{file: file, size: info.Size()}, nil
}

func (p *progress) Read(piece []byte) (int, error) {
	n, err := p.file.Read(piece)
	if p.sent += int64(n); p.size > 0 {
		fmt.Fprintf(os.Stderr, "\r%d %%", 100*p.sent/p.size)
	}
	return n, err
}

func upload(path string) (Item, error) {
	file, err := open(path)
	if err != nil {
		return Item{}, err
	}
	defer file.file.Close()
	// The form around the file; the file itself is read while it is sent.
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	if _, err := writer.CreateFormFile("files[]", filepath.Base(path)); err != nil {
		return Item{}, err
	}
	head := form.Len()
	if err := writer.Close(); err != nil {
		return Item{}, err
	}
	around := form.Bytes()
	body := io.MultiReader(bytes.NewReader(around[:head]), file, bytes.NewReader(around[head:]))
	var answer struct{ Data []Item }
	err = call("POST", library, writer.FormDataContentType(), body, int64(len(around))+file.size, &answer)
	if err != nil {
		return Item{}, err
	}
	return answer.Data[0], nil
}

// importURL has the service fetch a file, and waits until it is there.
func importURL(url string, timeout time.Duration) (Item, error) {
	var started struct{ Data []Item }
	if err := post(library, map[string]string{"url": url}, &started); err != nil {
		return Item{}, err
	}
	item, end := started.Data[0], time.Now().Add(timeout)
	for pause := 250 * time.Millisecond; item.Status == "processing"; pause += pause / 2 {
		if time.Now().After(end) {
			return item, fmt.Errorf("%s was not there after %s", url, timeout)
		}
		if pause > 5*time.Second {
			pause = 5 * time.Second
		}
		time.Sleep(pause)
		var now struct{ Data Item }
		if err := get(base+"/media_contents/"+item.ID, &now); err != nil {
			return item, err
		}
		item = now.Data
	}
	if item.Status == "failed" {
		return item, &Error{Message: *item.ErrorMessage}
	}
	return item, nil
}

// uploadPresigned sends up to 2 GB straight to the storage: without the token, which is not the storage's business.
func uploadPresigned(path string) (Item, error) {
	file, err := open(path)
	if err != nil {
		return Item{}, err
	}
	defer file.file.Close()
	announced := map[string]any{
		"name": filepath.Base(path),
		"size": file.size,
		"mime": mime.TypeByExtension(filepath.Ext(path)),
	}
	var issued struct {
		Data []struct {
			ID      string `json:"id"`
			URL     string `json:"upload_url"`
			Method  string `json:"upload_method"`
			Headers string `json:"upload_headers"`
		}
	}
	if err := post(library+"/presign", map[string]any{"files": []any{announced}}, &issued); err != nil {
		return Item{}, err
	}
	to := issued.Data[0]
	request, err := http.NewRequest(to.Method, to.URL, file)
	if err != nil {
		return Item{}, err
	}
	headers := map[string]string{}
	if err := json.Unmarshal([]byte(to.Headers), &headers); err != nil {
		return Item{}, err
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	request.ContentLength = file.size
	if err := send(request, nil); err != nil {
		return Item{}, err
	}
	var confirmed struct{ Data Item }
	err = call("POST", base+"/media_contents/"+to.ID+"/confirm", "", nil, 0, &confirmed)
	return confirmed.Data, err
}

func items() ([]Item, error) {
	var all []Item
	for url := library + "?per_page=100"; url != ""; {
		var page struct {
			Data  []Item
			Links struct{ Next string } // null, and so "", on the last page
		}
		if err := get(url, &page); err != nil {
			return nil, err
		}
		all, url = append(all, page.Data...), page.Links.Next
	}
	return all, nil
}

func bestHour() (day string, hour int, value float64, err error) {
	var answer struct {
		Data struct{ Heatmap map[string][]float64 }
	}
	err = get(base+"/analytics/best_times?workspace="+workspace, &answer)
	for d, hours := range answer.Data.Heatmap {
		for h, v := range hours {
			if day == "" || v > value {
				day, hour, value = d, h, v
			}
		}
	}
	return day, hour, value, err
}

func run(path, url, large string) error {
	uploaded, err := upload(path)
	if err != nil {
		return err
	}
	fmt.Println("uploaded", uploaded.Name)
	imported, err := importURL(url, 10*time.Minute)
	if err != nil {
		return err
	}
	fmt.Println("imported", imported.Name)
	presigned, err := uploadPresigned(large)
	if err != nil {
		return err
	}
	fmt.Println("presigned", presigned.Name)
	all, err := items()
	if err != nil {
		return err
	}
	fmt.Println("library of", len(all))
	day, hour, value, err := bestHour()
	if err != nil {
		return err
	}
	if value == 0 { // Too few posts to learn from: every cell is 0.
		fmt.Println("no best times yet")
		return nil
	}
	fmt.Printf("best at %s %d:00, %.2f\n", day, hour, value)
	return nil
}

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
