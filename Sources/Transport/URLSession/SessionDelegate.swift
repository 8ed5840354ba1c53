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
    private let transfers = Mutex<[Int: Transfer]>([:])
    private let queue: DispatchQueue
    private let id = NetworkGate.shared.makeID()
    private let isKnown = Atomic(false)

    init(queue: DispatchQueue) { self.queue = queue }

    // The session keeps its delegate until it is done.
    deinit { NetworkGate.shared.removeSession(id) }

    /// Routes a task's callbacks to a transfer.
    func register(_ transfer: Transfer, for task: Int) { transfers.withLock { $0[task] = transfer } }

    private func transfer(of task: URLSessionTask) -> Transfer? {
        let id = task.taskIdentifier
        return transfers.withLock { $0[id] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if !isKnown.load(ordering: .relaxed), NetworkGate.shared.add(session, as: id) {
            isKnown.store(true, ordering: .relaxed)
        }
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

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        // Asked when the connection turned out to be dead. Only what may happen twice is sent twice; and an engine that is
        // given no stream may send the head once more and let the server wait for the body.
        guard let transfer = transfer(of: task) else { return completionHandler(nil) }
        guard transfer.request.method.isIdempotent else {
            transfer.failed(.connectionLost, "The connection broke, and the body was not sent again.")
            return completionHandler(nil)
        }
        completionHandler(RequestBodyStream(transfer))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(Darwin)
            completionHandler(.performDefaultHandling, nil)
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
        guard let transfer = transfers.withLock({ $0.removeValue(forKey: id) }) else { return }
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
            return failed(.malformedResponse, "What came back is not an HTTP response.")
        }
        headReceived(head, expected: head.contentLength)
    }

    /// For a response that the session reports at the end only, when no more of its body will come.
    fileprivate func headReceivedIfMissing(_ response: URLResponse) {
        guard !hasHead, let head = HTTPResponseHead(response, for: request) else { return }
        headReceived(head, expected: nil)
    }
}
