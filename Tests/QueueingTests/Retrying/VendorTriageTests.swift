import HTTPMessages
import Queueing
import Testing
import Transport

@Suite struct VendorTriageTests {
    @Test func `does what the rule says, whatever the method`() throws {
        let triage: VendorTriage = .regardlessOfMethod { $0.error != nil || $0.status?.kind == .serverError }
        for method in [HTTPMethod.get, .post, .patch] {
            #expect(try triage.isWorthRepeating(ended(request(method), .internalServerError)))
            #expect(try !triage.isWorthRepeating(ended(request(method), .notFound)))
            #expect(triage.isWorthRepeating(ended(try request(method), TransportError(.connectionLost, "x"))))
        }
    }
}
