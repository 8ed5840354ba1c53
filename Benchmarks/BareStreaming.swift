import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The baseline of long transfers: a hand-written URLSession delegate.
final class BareStreaming: NSObject, URLSessionDataDelegate {
    private struct State {
        var count = 0
        var file: FileHandle?
        var failure: (any Error)?
        var continuation: CheckedContinuation<Int, any Error>?
    }
    private let state = Mutex(State())

    /// Downloads, and counts the bytes or writes them to a file, synchronized to disk at the end.
    static func get(_ url: URL, to file: URL? = nil) async throws -> Int {
        var handle: FileHandle?
        if let file {
            try Data().write(to: file)
            handle = try FileHandle(forWritingTo: file)
        }
        return try await BareStreaming().run(URLRequest(url: url), file: handle)
    }

    /// Uploads a file as a body stream, which is faster than an upload task on Linux.
    static func put(_ file: URL, to url: URL) async throws {
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        request.httpBodyStream = InputStream(url: file)
        _ = try await BareStreaming().run(request, file: nil)
    }

    private func run(_ request: URLRequest, file: FileHandle?) async throws -> Int {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        return try await withCheckedThrowingContinuation { continuation in
            state.withLock { state in
                state.file = file
                state.continuation = continuation
            }
            session.dataTask(with: request).resume()
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        state.withLock { state in
            state.count += data.count
            do { try state.file?.write(contentsOf: data) } catch { state.failure = error }
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (continuation, result) = state.withLock {
            state -> (CheckedContinuation<Int, any Error>?, Result<Int, any Error>) in
            do { try state.file?.synchronize() } catch { state.failure = error }
            try? state.file?.close()
            let failure = error ?? state.failure
            return (state.continuation.take(), failure.map(Result.failure) ?? .success(state.count))
        }
        continuation?.resume(with: result)
    }
}
