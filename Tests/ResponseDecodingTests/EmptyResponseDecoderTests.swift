import HTTPMessages
import ResponseDecoding
import Testing

@Suite struct EmptyResponseDecoderTests {
    @Test func `the body is ignored`() throws {
        try sample("").decoded(as: .empty)
        try sample("anything").decoded(as: .empty)
    }
}
