import Delegation
import Dispatch
import Foundation
import HTTPMessages
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Calls a delegate of URLSession with a received response: head, body in one piece, then completion.
///
/// The session and its task are stand-ins for the delegate's parameters: the request was sent by the client's
/// transport. The completion is called exactly once, with or without a response.
struct SessionDelegation {
    private let delegate: any URLSessionDataDelegate
    private let delivery: Delivery

    /// - Parameter delivery: where the delegate is called.
    init(_ delegate: any URLSessionDataDelegate, on delivery: Delivery) {
        self.delegate = delegate
        self.delivery = delivery
    }

    // Unchecked because a delegate is of any type. It is called only where the call is delivered.
    private struct Box: @unchecked Sendable {
        // The delegate's methods are optional on Apple platforms: each is assigned to an optional before its call.
        typealias DidReceiveData = (URLSession, URLSessionDataTask, Data) -> Void
        typealias DidComplete = (URLSession, URLSessionTask, (any Error)?) -> Void

        let delegate: any URLSessionDataDelegate
        let session: URLSession
        let task: URLSessionDataTask

        func receive(_ data: Data) {
            let method: DidReceiveData? = delegate.urlSession(_:dataTask:didReceive:)
            if !data.isEmpty { method?(session, task, data) }
        }

        func complete(_ error: (any Error)?) {
            let method: DidComplete? = delegate.urlSession(_:task:didCompleteWithError:)
            method?(session, task, error)
            session.invalidateAndCancel()
        }
    }

    private typealias DidReceiveResponse = (
        URLSession, URLSessionDataTask, URLResponse, @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) -> Void

    /// Calls the delegate.
    /// - Parameters:
    ///   - request: nil if the call was invalid.
    ///   - result: the response, also one with a failure status, or the error without a response. The response of an
    ///     error with another cause is of another request, such as a login page.
    func deliver(_ request: HTTPRequest?, _ result: Result<WLResponse, WLError>) {
        // Of its own: delegates may invalidate the session that they get, as samples do, and it must not be another's.
        let session = URLSession(configuration: .ephemeral)
        let url = request?.url ?? URL(filePath: "/")
        let box = Box(delegate: delegate, session: session, task: session.dataTask(with: URLRequest(url: url)))
        let (response, failure): (WLResponse?, WLError?) =
            switch result {
            case .success(let response): (response, nil)
            case .failure(let error): (error.isUnexpectedStatus ? error.response : nil, error)
            }
        guard let http = response?.httpResponse, let head = HTTPURLResponse(http) else {
            return box.complete(failure.map { $0 as any Error } ?? URLError(.badServerResponse))
        }
        let isDecided = Mutex(false)
        // The delegate may call this on any thread, and by mistake more than once: only the first call counts.
        let decide = { @Sendable [delivery] (disposition: URLSession.ResponseDisposition) in
            guard
                !isDecided.withLock({ isDecided in
                    defer { isDecided = true }
                    return isDecided
                })
            else { return }
            delivery.deliver {
                guard disposition == .allow else { return box.complete(URLError(.cancelled)) }
                box.receive(http.body)
                box.complete(nil)
            }
        }
        let method: DidReceiveResponse? = delegate.urlSession(_:dataTask:didReceive:completionHandler:)
        guard let method else { return decide(.allow) }
        method(session, box.task, head, decide)
    }
}

extension HTTPURLResponse {
    fileprivate convenience init?(_ response: HTTPResponse) {
        let fields = (WLResponse(response).headers ?? [:]).reduce(into: [String: String]()) { fields, field in
            if let name = field.key as? String, let value = field.value as? String { fields[name] = value }
        }
        self.init(
            url: response.url, statusCode: response.status.code, httpVersion: "HTTP/1.1", headerFields: fields)
    }
}
