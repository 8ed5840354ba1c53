import HTTPMessages
import Queueing
import Testing
import Transport

@Suite struct UnsafeRetryClassifierTests {
    @Test func `follows the closure, regardless of the method`() throws {
        let classifier: UnsafeRetryClassifier = .any { $0.error != nil || $0.status?.kind == .serverError }
        for method in [HTTPMethod.get, .post, .patch] {
            #expect(try classifier.isRetryable(finished(request(method), .internalServerError)))
            #expect(try !classifier.isRetryable(finished(request(method), .notFound)))
            #expect(classifier.isRetryable(finished(try request(method), TransportError(.connectionLost, "x"))))
        }
    }
}
