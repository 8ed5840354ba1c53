import Foundation
import HTTPMessages
import Testing
import Transport

@testable import Queueing

@Suite struct AdmissionErrorTests {
    @Test func `the description has the message and no secrets`() throws {
        let request = try HTTPRequest(.get, "http://h/x?token=sesame&a=b")
        let error = AdmissionError(.queueFull, "Too many.", request: request)
        #expect("\(error)".hasSuffix(": Too many. [queueFull]") && "\(error)".hasPrefix("GET http://h/x?"))
        #expect(!"\(error)".contains("sesame"))
        #expect("\(AdmissionError(.queueDraining, "No."))" == "No. [queueDraining]")
    }

    @Test func `the description has the number of attempts after retries`() {
        var error = AdmissionError(.queueFull, "Too many.")
        error.attempts = [.init(.notSent("Too many. [queueFull]"))]
        #expect("\(error)" == "Too many. [queueFull]")
        error.attempts.insert(.init(.status(.badGateway), backoff: .seconds(2)), at: 0)
        #expect("\(error)" == "Too many, after 2 attempts with 2.0 s of backoff. [queueFull]")
    }

    @Test(arguments: admissionCodes) func `only an expired request has a code of URLSession`(
        code: AdmissionError.Code
    ) throws {
        let error = AdmissionError(code, "Refused.", request: try HTTPRequest(.get, "http://h/?token=sesame"))
        #expect(error.urlErrorCode == (code == .expired ? .timedOut : nil))
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(underlying?.code == (code == .expired ? NSURLErrorTimedOut : nil))
        #expect(underlying.map { $0.domain == NSURLErrorDomain && $0.localizedDescription == "\(error)" } ?? true)
    }
}
