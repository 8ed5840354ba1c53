import HTTPMessages
import ResponseDecoding
import Testing

@Suite struct EventSourceErrorTests {
    @Test func `the description has status, message and code, but no content`() {
        let error = EventSourceError(
            .unacceptableMediaType, "Wrong.", status: .ok, mediaType: MediaType(parsing: "text/x;token=typesecret"))
        #expect("\(error)" == "200 OK: Wrong. [unacceptableMediaType]")
        var dumped = ""
        dump(error, to: &dumped)
        for text in [String(reflecting: error), dumped, "\(Optional(error) as Any)"] {
            #expect(!text.contains("secret"), "\(text)")
        }
        #expect("\(EventSourceError(.tooManyFailures, "Gone."))" == "Gone. [tooManyFailures]")
    }
}
