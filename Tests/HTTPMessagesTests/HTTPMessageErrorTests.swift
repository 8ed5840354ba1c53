import HTTPMessages
import Testing

@Suite struct HTTPMessageErrorTests {
    @Test func `it says what is wrong, with its code`() {
        let error = HTTPMessageError(.invalidURL, "Wrong.")
        #expect("\(error)" == "Wrong. [invalidURL]")
        #expect(error.code == .invalidURL && error.code != .invalidMethod)
        #expect(error == HTTPMessageError(.invalidURL, "Wrong."))
    }
}
