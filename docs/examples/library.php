<?php
// PHP 8 with its curl extension: php library.php beach.jpg https://example.com/clip.mp4 film.mp4
declare(strict_types=1);

final class PostshelfError extends RuntimeException
{
    /** @param array<string, list<string>> $errors what is wrong with each field, on a 422 */
    public function __construct(public readonly int $status, string $message, public readonly array $errors = [])
    {
        $sentences = $errors === [] ? $message : implode(' ', array_merge(...array_values($errors)));
        parent::__construct("$status: $sentences");
    }
}

final class Postshelf
{
    private readonly string $base;
    private readonly string $library;

    public function __construct(string $url, private readonly string $token, private readonly string $workspace)
    {
        $this->base = rtrim($url, '/') . '/v1';
        $this->library = "$this->base/workspaces/$workspace/media_contents";
    }

    /** Gives the JSON of the answer. */
    private function send(string $method, string $url, array $headers, array $options = []): ?array
    {
        $curl = curl_init($url);
        curl_setopt_array($curl, $options + [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_CONNECTTIMEOUT => 10,
            CURLOPT_NOPROGRESS => false,
            CURLOPT_XFERINFOFUNCTION => function ($curl, $toCome, $came, int $total, int $sent): int {
                if ($total > 0) fprintf(STDERR, "\r%d %%", intdiv(100 * $sent, $total));
                return 0;
            },
        ]);
        $text = curl_exec($curl);
        if ($text === false) throw new PostshelfError(0, 'The service could not be reached: ' . curl_error($curl));
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        $answer = json_decode($text, true);
        if ($status >= 200 && $status < 300) return $answer;
        throw new PostshelfError($status, $answer['message'] ?? 'The request was refused.', $answer['errors'] ?? []);
    }

    private function call(string $method, string $url, ?array $fields = null, array $options = []): ?array
    {
        $headers = ["Authorization: Bearer $this->token"];
        if ($fields !== null) {
            $headers[] = 'Content-Type: application/json';
            $options[CURLOPT_POSTFIELDS] = json_encode($fields, JSON_THROW_ON_ERROR);
        }
        return $this->send($method, $url, $headers, $options);
    }

    public function upload(string $path): array
    {
        // curl reads the file while it sends it.
        $form = ['files[]' => new CURLFile($path, null, basename($path))];
        return $this->call('POST', $this->library, null, [CURLOPT_POSTFIELDS => $form])['data'][0];
    }

    /** Has the service fetch a file, and waits until it is there. */
    public function importUrl(string $url, int $timeout = 600): array
    {
        $item = $this->call('POST', $this->library, ['url' => $url])['data'][0];
        $end = microtime(true) + $timeout;
        for ($pause = 0.25; $item['status'] === 'processing'; $pause = min(1.5 * $pause, 5)) {
            if (microtime(true) > $end) throw new RuntimeException("$url was not there after $timeout s.");
            usleep((int) ($pause * 1_000_000));
            $item = $this->call('GET', "$this->base/media_contents/{$item['id']}")['data'];
        }
        return $item['status'] === 'active' ? $item : throw new PostshelfError(0, $item['error_message']);
    }

    /** Sends up to 2 GB straight to the storage: without the token, which is not the storage's business. */
    public function uploadPresigned(string $path): array
    {
        $size = filesize($path);
        $file = ['name' => basename($path), 'size' => $size, 'mime' => mime_content_type($path)];
        $issued = $this->call('POST', "$this->library/presign", ['files' => [$file]])['data'][0];
        $headers = [];
        foreach (json_decode($issued['upload_headers'], true) as $name => $value) $headers[] = "$name: $value";
        $this->send($issued['upload_method'], $issued['upload_url'], $headers, [
            CURLOPT_UPLOAD => true,
            CURLOPT_INFILE => fopen($path, 'rb'),
            CURLOPT_INFILESIZE => $size,
        ]);
        return $this->call('POST', "$this->base/media_contents/{$issued['id']}/confirm")['data'];
    }

    /** @return Generator<array> every item, page by page */
    public function library(): Generator
    {
        for ($url = "$this->library?per_page=100"; $url !== null; $url = $page['links']['next']) {
            $page = $this->call('GET', $url);
            yield from $page['data'];
        }
    }

    /** @return array{string, int, float} day, hour, and what it is worth, 100 being the average */
    public function bestHour(): array
    {
        $best = ['', 0, -INF];
        $answer = $this->call('GET', "$this->base/analytics/best_times?workspace=$this->workspace");
        foreach ($answer['data']['heatmap'] as $day => $hours)
            foreach ($hours as $hour => $value) if ($value > $best[2]) $best = [$day, $hour, $value];
        return $best;
    }
}

[, $path, $url, $large] = $argv;
$postshelf = new Postshelf(getenv('POSTSHELF_URL'), getenv('POSTSHELF_TOKEN'), getenv('POSTSHELF_WORKSPACE'));
try {
    echo "uploaded {$postshelf->upload($path)['name']}\n";
    echo "imported {$postshelf->importUrl($url)['name']}\n";
    echo "presigned {$postshelf->uploadPresigned($large)['name']}\n";
    echo 'library of ', iterator_count($postshelf->library()), "\n";
    $best = $postshelf->bestHour();
    // Too few posts to learn from: every cell is 0.
    echo $best[2] > 0 ? vsprintf("best at %s %d:00, %.2f\n", $best) : "no best times yet\n";
} catch (PostshelfError $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
}
