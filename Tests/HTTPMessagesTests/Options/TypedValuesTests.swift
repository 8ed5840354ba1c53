import Foundation
import HTTPMessages
import Testing

private enum Trace: RequestOptionKey { static var defaultValue: String? { nil } }
private enum Weight: RequestOptionKey { static var defaultValue: Int { 1 } }

private enum Source: ResponseMetadataKey { static var defaultValue: String { "network" } }

@Suite struct TypedValuesTests {
    @Test func `a response has the default of a key until a layer sets it`() throws {
        let url = try #require(URL(string: "http://h/"))
        let head = HTTPResponseHead(status: .ok, url: url)
        var changed = head
        changed[Source.self] = "cache"
        #expect(head[Source.self] == "network" && changed[Source.self] == "cache" && head != changed)
        changed[Source.self] = "network"
        #expect(head == changed)
    }

    @Test func `an option has its default until it is set, and again when it is set to it`() {
        var options = RequestOptions()
        #expect(options[Trace.self] == nil && options[Weight.self] == 1)
        options[Trace.self] = "a"
        options[Weight.self] = 2
        #expect(options[Trace.self] == "a" && options[Weight.self] == 2)
        options[Trace.self] = "b"
        #expect(options[Trace.self] == "b" && options != RequestOptions())
        options[Trace.self] = nil
        options[Weight.self] = 1
        #expect(options == RequestOptions())
    }

    @Test func `the order in which options are set does not matter`() {
        let one = RequestOptions {
            $0[Trace.self] = "a"
            $0[Weight.self] = 7
        }
        let other = RequestOptions {
            $0[Weight.self] = 7
            $0[Trace.self] = "a"
        }
        #expect(one == other && one.hashValue == other.hashValue && Set([one, other]).count == 1)
        let third = RequestOptions { $0[Weight.self] = 7 }
        let fourth = RequestOptions {
            $0[Weight.self] = 7
            $0[Trace.self] = "c"
        }
        #expect(one != third && third != one && one != fourth)
    }
}
