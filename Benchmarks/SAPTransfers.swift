import Foundation
import HTTPMessages
import SDMConnectivity
import Transport

extension Harness {
    /// Compares requests of the SAP facade, with a progress delegate, with the same transfers of the transport alone.
    func sapTransfers(
        from down: URL, to target: URL, and source: URL, to up: URL, size: Int, over transport: URLSessionTransport
    ) async throws -> [Flow] {
        let session = SDMSession(transport: transport)
        let bar = ByteCounter()
        return [
            try await flow("SAP download to a file, with progress", size, against: "the transport alone") {
                let request = SDMHttpRequest(url: down, session: session)
                request.setDownloadProgressDelegate(bar)
                try await request.download(to: target)
                try Self.check(Int(request.totalBytesRead), size)
            } baseline: {
                let file = try await transport.download(HTTPMessages.HTTPRequest(.get, down), to: target)
                try Self.check(Int(file.byteCount), size)
            },
            try await flow("SAP upload from a file, with progress", size, against: "the transport alone") {
                let request = SDMHttpRequest(url: up, session: session)
                request.requestMethod = "PUT"
                request.shouldStreamPostDataFromDisk = true
                request.postBodyFilePath = source.path
                request.setUploadProgressDelegate(bar)
                try Self.check(Int(String(decoding: try await request.response().body, as: UTF8.self)), size)
            } baseline: {
                let request = try HTTPMessages.HTTPRequest(.put, up, body: .file(at: source))
                try Self.check(Int(String(decoding: try await transport.send(request).body, as: UTF8.self)), size)
            },
        ]
    }
}

/// Counts the bytes that are reported to it, on the main queue.
private final class ByteCounter: SDMProgressDelegate {
    private var bytes: Int64 = 0
    private var progress: Float = 0

    func setProgress(_ progress: Float) { self.progress = progress }
    func request(_ request: SDMHttpRequest, didReceiveBytes count: Int64) { bytes += count }
    func request(_ request: SDMHttpRequest, didSendBytes count: Int64) { bytes += count }
}
