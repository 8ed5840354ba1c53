import Foundation
import HTTPMessages
import Transport

extension Harness {
    /// Compares transfers whose connection is lost twenty times with the same ones without a loss.
    func continuedTransfers(_ server: ServerProcess) async throws -> [Figure] {
        let size = (arguments.quick ? 32 : 1024) << 20
        let cuts = arguments.quick ? 4 : 20
        let part = size / (cuts + 1) + 1
        let transport = URLSessionTransport()
        let folder = try BenchmarkFolder()
        defer { folder.remove() }
        let (source, target) = (folder.url.appending(path: "source"), folder.url.appending(path: "target"))
        try Self.fill(source, size)
        func download(_ part: Int) async throws {
            let request = try HTTPRequest(.get, server.streamingURL + "/cut/\(size)/\(part)")
            let download = try await transport.download(request, to: target, options: .retrying)
            try Self.check(Int(download.byteCount), size)
        }
        func upload(_ part: Int) async throws {
            let endpoint = try URL(httpString: server.streamingURL + "/uploads/\(size)/\(part)")
            try await transport.upload(.file(at: source), to: endpoint, resuming: .ietf)
        }
        return [
            try await compare(
                "Download of \(size >> 20) MiB with \(cuts) cuts, per MiB", operations: size >> 20,
                against: "the same without a cut", rounds: min(rounds, 5), subject: { try await download(part) },
                baseline: { try await download(size) }),
            try await compare(
                "Resumable upload of \(size >> 20) MiB with \(cuts) cuts, per MiB", operations: size >> 20,
                against: "the same without a cut", rounds: min(rounds, 5), subject: { try await upload(part) },
                baseline: { try await upload(size) }),
        ]
    }
}
