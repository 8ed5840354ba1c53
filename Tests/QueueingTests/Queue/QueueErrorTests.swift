import HTTPMessages
import Queueing
import Testing

@Suite struct QueueErrorTests {
    @Test func `the description has the message and no secrets`() throws {
        let request = try HTTPRequest(.get, "http://h/x?token=sesame&a=b")
        let error = QueueError(.full, "Too many.", request: request)
        #expect("\(error)".hasSuffix(": Too many. [full]") && "\(error)".hasPrefix("GET http://h/x?"))
        #expect(!"\(error)".contains("sesame"))
        #expect("\(QueueError(.draining, "No."))" == "No. [draining]")
    }
}
