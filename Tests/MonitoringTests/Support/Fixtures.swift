import Authentication
import Foundation
import HTTPMessages
import Queueing
import Synchronization
import Transport

/// The statuses of the responses to come; the last one repeats.
final class StatusScript: Sendable {
    private let statuses: Mutex<[Int]>
    init(_ statuses: [Int]) { self.statuses = Mutex(statuses) }

    func next() -> Int { statuses.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
}

/// Retries each failure of the server twice, at once.
struct ImmediateRetry: RetryStrategy {
    let classifier = UnsafeRetryClassifier { $0.error != nil || $0.status?.kind == .serverError }
    let backoff = ConstantBackoff(.zero)
    let limiter = AttemptLimit(2)
}

extension RetryStrategy where Self == ImmediateRetry {
    static var immediate: ImmediateRetry { ImmediateRetry() }
}

/// A fake whose responses have these statuses: a redirect to `/next/...`, a challenge, or five bytes.
func fake(_ statuses: Int...) -> FakeTransport {
    let script = StatusScript(statuses)
    return FakeTransport { request in
        let status = script.next()
        var response = HTTPResponse(
            status: HTTPStatus(status) ?? .ok, body: Data((status == 302 ? "" : "hello").utf8), url: request.url)
        if status == 302 { try response.head.fields.set(.location, to: "/next\(request.url.path)") }
        if status == 401 { try response.head.fields.set("WWW-Authenticate", to: "Bearer") }
        return response
    }
}

/// Bearer tokens `token-1`, `token-2`, and so on.
func countingTokens() -> BearerAuthorizer {
    let count = Mutex(0)
    return BearerAuthorizer {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return try OAuthToken("token-\(number)")
    }
}
