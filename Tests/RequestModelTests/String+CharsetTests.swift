import Foundation
import HTTPMessages
import Testing

@testable import RequestModel

struct StringCharsetTests {
    @Test func `text in a charset, with references for what it lacks`() {
        #expect("£".bytes(in: .utf8) == [0xC2, 0xA3])
        #expect("a£".bytes(in: .isoLatin1) == [0x61, 0xA3])
        #expect("£€".bytes(in: .isoLatin1) == [0xA3] + Array("&#8364;".utf8))
        #expect("ä".bytes(in: .ascii) == Array("&#228;".utf8))
        #expect("".bytes(in: .isoLatin1).isEmpty)
    }

    @Test func `a query in a charset`() {
        let query: Query = ["k£": "a b", "e": .flag]
        #expect(query.data(as: .percent, in: .isoLatin1) == Data("k%A3=a%20b&e".utf8))
        #expect(query.data(as: .form, in: .isoLatin1) == Data("k%A3=a+b&e".utf8))
        #expect(query.data(as: .percent, in: .utf8) == Data(query.text().utf8))
    }

    @Test func `forms are in UTF-8 in place of UTF-16`() async throws {
        #expect(Query([.init("a", "é")]).data(as: .form, in: .utf16) == Data("a=%C3%A9".utf8))
        let body = try Multipart([.text("a", "b")], charset: .utf16LittleEndian).body(boundary: "x")
        let data = try await body.content.collect()
        #expect(data.starts(with: "--x\r\nContent-Disposition: form-data; name=\"a\"".utf8))
        #expect(body.mediaType?["charset"] == "utf-8")
    }

    @Test func `names of charsets`() {
        #expect(String.Encoding.utf8.charsetName == "utf-8" && String.Encoding.isoLatin1.charsetName == "iso-8859-1")
        #expect(String.Encoding.symbol.charsetName == nil)
    }

    @Test func `a multipart form in a charset`() async throws {
        let form = Multipart([.text("n£", "£", charset: .isoLatin1)], charset: .isoLatin1)
        let body = try form.body(boundary: "b")
        #expect(body.mediaType?.description == "multipart/form-data;charset=iso-8859-1;boundary=b")
        let expected =
            Data("--b\r\nContent-Disposition: form-data; name=\"n".utf8) + Data([0xA3])
            + Data("\"\r\n\r\n".utf8) + Data([0xA3]) + Data("\r\n--b--\r\n".utf8)
        #expect(try await body.content.collect() == expected)
        #expect(
            try Multipart([.text("a", "c")]).body(boundary: "b").mediaType?.description
                == "multipart/form-data;boundary=b")
    }
}
