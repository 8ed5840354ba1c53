import Foundation
import HTTPMessages
import Transport

/// A response whose body an authorizer can verify.
protocol VerifiableResponse: HTTPResponseProtocol {
    /// This response if its body is authentic; a streamed one fails at its end otherwise.
    func verified(by verification: ResponseVerification) throws -> Self
}

extension HTTPResponse: VerifiableResponse {
    func verified(by verification: ResponseVerification) throws -> HTTPResponse {
        verification.update(body)
        try verification.finish()
        return self
    }
}

extension HTTPResponseStream: VerifiableResponse {
    func verified(by verification: ResponseVerification) -> HTTPResponseStream {
        var head = head
        head.isCheckedAtEnd = true
        return HTTPResponseStream(head: head, body: VerifiedBody(base: body, verification: verification))
    }
}

/// A streamed body that is verified at its end.
private struct VerifiedBody: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        var base: HTTPBodyChunks.Iterator
        let verification: ResponseVerification
        var isFinished = false

        /// - Throws: the error of the body; ``AuthenticationError`` (`serverNotAuthentic`).
        mutating func next() async throws -> Data? {
            guard !isFinished else { return nil }
            if let chunk = try await base.next() {
                verification.update(chunk)
                return chunk
            }
            isFinished = true
            try verification.finish()
            return nil
        }
    }

    let base: HTTPBodyChunks
    let verification: ResponseVerification

    func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), verification: verification)
    }
}
