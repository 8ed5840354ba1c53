import Coordination
import Foundation
import HTTPMessages
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Routes a session's callbacks to their transfers.
///
/// On Linux, callbacks run on one queue that all sessions of the process share. They must not block or call into the
/// session (which deadlocks); such work is dispatched to `queue`.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private struct Entry {
        let transfer: Transfer
        /// The named temporary file that the engine reads the body from.
        let file: ScratchFile?
    }

    private let entries = Mutex<[Int: Entry]>([:])
    private let queue: DispatchQueue
    private let challenges: ChallengePolicy
    private let options: URLSessionTransport.NetworkOptions

    init(
        queue: DispatchQueue, challenges: ChallengePolicy = ChallengePolicy(),
        options: URLSessionTransport.NetworkOptions = .init()
    ) {
        self.queue = queue
        self.challenges = challenges
        self.options = options
    }

    /// Registers the transfer for a task.
    /// - Parameter file: retained until the task completes.
    func register(_ transfer: Transfer, for task: Int, keeping file: ScratchFile? = nil) {
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
        // On Apple's platforms this is called late: with the first byte of the body, or after 512 bytes if CFNetwork
        // sniffs the media type.
        transfer(of: dataTask)?.headReceived(response, options)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transfer(of: dataTask)?.bodyReceived(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        // The total counts a body that is sent again twice.
        transfer(of: task)?.bodySent(bytesSent)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // The engine's redirects forward credentials to other origins and lose bodies.
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        // Called when a reused connection turns out to be closed.
        guard let transfer = transfer(of: task) else { return completionHandler(nil) }
        transfer.bodyRead(toEnd: false)
        #if canImport(Darwin)
            // Also called for bytes, and when a server refuses an HTTP/2 stream, or a proxy a password. CFNetwork
            // decides for every method whether a request is sent again; it may send bytes again without asking.
            completionHandler(transfer.newSystemStream())
        #else
            // Only idempotent requests are sent again. The transfer fails here, because an engine that gets no stream
            // may resend the head and let the server wait for the body.
            guard transfer.request.method.isIdempotent else {
                transfer.failed(
                    .connectionLost,
                    "Connection lost, and the request body was not sent again: \(transfer.request.origin.address).")
                return completionHandler(nil)
            }
            // Also called for bytes and files; returning a stream for those crashes the process.
            guard task.originalRequest?.httpBodyStream != nil else {
                transfer.failed(.connectionLost, "Connection lost: \(transfer.request.origin.address).")
                return completionHandler(nil)
            }
            do throws(TransportError) {
                completionHandler(try RequestBodyStream(transfer))
            } catch {
                transfer.failed(with: error)
                completionHandler(nil)
            }
        #endif
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(Darwin)
            // Session-level challenges arrive here too, since the delegate has no session-level method.
            challenges.respond(to: challenge, completionHandler) { [transfer = transfer(of: task)] verdict in
                // Failed here, because the session only reports a cancellation.
                if let transfer {
                    transfer.failed(
                        .tls, verdict.message(for: transfer.request.origin), tlsFailure: verdict.tlsFailure)
                }
            }
        #else
            // Default handling hangs forever without a timeout, and answering on this queue deadlocks. The challenge
            // therefore becomes the final response, and is answered from another queue.
            let transfer = transfer(of: task)
            let response = challenge.failureResponse
            queue.async { [options] in
                if let response { transfer?.headReceivedIfMissing(response, options) }
                transfer?.completed()
                completionHandler(.cancelAuthenticationChallenge, nil)
            }
        #endif
    }

    #if canImport(Darwin)
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
        ) {
            if let metrics = TransferMetrics(metrics) { transfer(of: task)?.measured(metrics) }
        }
    #endif

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let id = task.taskIdentifier
        // Removing the entry also deletes its file, before the caller resumes.
        guard let transfer = entries.withLock({ $0.removeValue(forKey: id)?.transfer }) else { return }
        transfer.engineFinished()
        if let error {
            transfer.failed(error)
        } else {
            // A redirect without a Location is only reported here; on Linux its body is lost.
            if let response = task.response { transfer.headReceivedIfMissing(response, options) }
            transfer.completed()
        }
    }
}

extension Transfer {
    fileprivate func headReceived(_ response: URLResponse, _ options: URLSessionTransport.NetworkOptions) {
        convert(response, options) { head in headReceived(head, expected: head.deliveredLength(by: .current)) }
    }

    /// Handles a response that the session reports only on completion, without a body.
    fileprivate func headReceivedIfMissing(_ response: URLResponse, _ options: URLSessionTransport.NetworkOptions) {
        guard !hasHead else { return }
        convert(response, options) { head in headReceived(head, expected: nil) }
    }

    private func convert(
        _ response: URLResponse, _ options: URLSessionTransport.NetworkOptions, _ body: (HTTPResponseHead) -> Void
    ) {
        do throws(TransportError) {
            var head = try HTTPResponseHead(response, for: request)
            if head.status.code == 407 { head.isProxyChallenge = options.sendsToProxy(request.origin) }
            body(head)
        } catch {
            failed(with: error)
        }
    }
}
