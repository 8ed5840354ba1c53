import Delegation
import Dispatch
import Foundation
import HTTPMessages

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Calls a delegate of URLSession with a received response: head, body in one piece, then completion.
///
/// The session and its task are stand-ins for the delegate's parameters: the request was sent by the client's transport.
/// The completion is called exactly once, with or without a response.
struct SessionDelegation {
    private let delegate: any URLSessionDataDelegate

    init(_ delegate: any URLSessionDataDelegate) { self.delegate = delegate }

    // Unchecked because a delegate is of any type. It is called only where the call is delivered, and from the
    // completion handler that the delegate itself calls.
    private struct Box: @unchecked Sendable {
        let delegate: any URLSessionDataDelegate
        let session: URLSession
        let task: URLSessionDataTask

        func complete(_ error: (any Error)?) {
            delegate.urlSession(session, task: task, didCompleteWithError: error)
            session.invalidateAndCancel()
        }
    }

    /// Calls the delegate.
    /// - Parameters:
    ///   - request: nil if the call was invalid.
    ///   - result: the response, also one with a failure status, or the error without a response.
    func deliver(_ request: HTTPRequest?, _ result: Result<WLResponse, WLError>) {
        let session = URLSession(configuration: .ephemeral)
        let url = request?.url ?? URL(filePath: "/")
        let box = Box(delegate: delegate, session: session, task: session.dataTask(with: URLRequest(url: url)))
        let (response, failure): (WLResponse?, WLError?) =
            switch result {
            case .success(let response): (response, nil)
            case .failure(let error): (error.response, error)
            }
        guard let http = response?.httpResponse, let head = HTTPURLResponse(http) else {
            return box.complete(failure.map { $0 as any Error } ?? URLError(.badServerResponse))
        }
        delegate.urlSession(session, dataTask: box.task, didReceive: head) { disposition in
            guard disposition == .allow else { return box.complete(URLError(.cancelled)) }
            if !http.body.isEmpty { box.delegate.urlSession(box.session, dataTask: box.task, didReceive: http.body) }
            box.complete(nil)
        }
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
