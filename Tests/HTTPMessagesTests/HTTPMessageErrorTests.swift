import HTTPMessages
import Testing

@Suite struct HTTPMessageErrorTests {
    @Test func `the description has message and code`() {
        let error = HTTPMessageError(.invalidURL, "Wrong.")
        #expect("\(error)" == "Wrong. [invalidURL]")
        #expect(error.code == .invalidURL && error.code != .invalidMethod)
        #expect(error == HTTPMessageError(.invalidURL, "Wrong."))
    }
}
