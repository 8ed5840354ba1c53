import Foundation
import HTTPMessages
import RequestModel
import Testing

@Suite struct FormTests {
    @Test func `is a body with its media type`() async throws {
        let body = Form(["name": "Ann Lee", "note": "1+1=2", "empty": "", "none": .flag]).body
        #expect(body.mediaType == .form)
        #expect(try await body.content.collect() == Data("name=Ann+Lee&note=1%2B1%3D2&empty=&none".utf8))
        #expect(body.content.length == 39)
    }

    @Test func `parses a body`() {
        let form = Form(parsing: Data("a=%D0%96+x&b&a=2".utf8))
        #expect(form.items == ["a": "Ж x", "b": .flag, "a": "2"])
        #expect(Form(parsing: form.data) == form)
    }

    @Test func `invalid bytes are parsed`() {
        #expect(Form(parsing: Data([0xFF, 0x3D, 0x25])).items == ["\u{FFFD}": "%"])
        #expect(Form(parsing: Data()).items.isEmpty)
    }

    @Test func `an empty form is a body`() {
        #expect(!Form(Query()).body.isEmpty)
    }
}
