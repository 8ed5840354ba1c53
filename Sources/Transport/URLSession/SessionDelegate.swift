import Foundation
import HTTPMessages
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Takes a session's callbacks to their transfers.
///
/// On Linux the callbacks run on the queue that all sessions of the process share, so nothing here waits or calls the
/// session back; what has to hops to `queue`.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private struct Entry {
        let transfer: Transfer
        /// What the engine reads the body from, if that is a temporary file with a name.
        let file: SpillFile?
    }

    private let entries = Mutex<[Int: Entry]>([:])
    private let queue: DispatchQueue

    init(queue: DispatchQueue) { self.queue = queue }

    /// Routes a task's callbacks to a transfer.
    /// - Parameter file: kept until the task has ended.
    func register(_ transfer: Transfer, for task: Int, keeping file: SpillFile? = nil) {
        entries.withLock { $0[task] = Entry(transfer: transfer, file: file) }
    }

    private func transfer(of task: URLSessionTask) -> Transfer? {
        let id = task.taskIdentifier
        return entries.withLock { $0[id]?.transfer }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        // Apple's engine may come here late: with the first byte of the body, or, for types that it sniffs, after 512 bytes.
        // No setting changes that; a server can, with a type such as application/json or `X-Content-Type-Options: nosniff`.
        // (https://developer.apple.com/forums/thread/64875)
        transfer(of: dataTask)?.headReceived(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transfer(of: dataTask)?.bodyReceived(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        transfer(of: task)?.bodySent(totalBytesSent)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // The engine's own redirects carry credentials to strangers and lose bodies.
        completionHandler(nil)
    }

    // Bytes and files, which is all that Apple's engine is given, it sends again by itself, whatever the method, when a
    // connection turns out to be dead before a response.
    #if !canImport(Darwin)
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
        ) {
            // Asked when the connection turned out to be dead. Only what may happen twice is sent twice; and an engine that
            // is given no stream may send the head once more and let the server wait for the body.
            guard let transfer = transfer(of: task) else { return completionHandler(nil) }
            guard transfer.request.method.isIdempotent else {
                transfer.failed(
                    .connectionLost,
                    "Connection lost, and the request body was not sent again: \(transfer.request.origin.address).")
                return completionHandler(nil)
            }
            // Asked for bytes and files too, and a stream in their place ends the process.
            guard task.originalRequest?.httpBodyStream != nil else {
                transfer.failed(.connectionLost, "Connection lost: \(transfer.request.origin.address).")
                return completionHandler(nil)
            }
            completionHandler(RequestBodyStream(transfer))
        }
    #endif

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(Darwin)
            // The challenges of the session arrive here as well, since it has no method of its own for them.
            let space = challenge.protectionSpace
            completionHandler(.init(forMethod: space.authenticationMethod, isProxy: space.isProxy()), nil)
        #else
            // A challenge that is left to the session hangs for ever; one that is answered here locks up.
            let transfer = transfer(of: task)
            let response = challenge.failureResponse
            queue.async {
                if let response { transfer?.headReceivedIfMissing(response) }
                transfer?.completed()
                completionHandler(.cancelAuthenticationChallenge, nil)
            }
        #endif
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let id = task.taskIdentifier
        // With the entry goes its file, before the caller goes on.
        guard let transfer = entries.withLock({ $0.removeValue(forKey: id)?.transfer }) else { return }
        transfer.engineEnds()
        if let error {
            transfer.failed(error)
        } else {
            // A redirect without a Location is reported here only, and its body is lost on Linux.
            if let response = task.response { transfer.headReceivedIfMissing(response) }
            transfer.completed()
        }
    }
}

extension Transfer {
    fileprivate func headReceived(_ response: URLResponse) {
        guard let head = HTTPResponseHead(response, for: request) else {
            return failed(.malformedResponse, "Response is not HTTP: \(request.origin.address).")
        }
        headReceived(head, expected: head.contentLength)
    }

    /// For a response that the session reports at the end only, when no more of its body will come.
    fileprivate func headReceivedIfMissing(_ response: URLResponse) {
        guard !hasHead, let head = HTTPResponseHead(response, for: request) else { return }
        headReceived(head, expected: nil)
    }
}
