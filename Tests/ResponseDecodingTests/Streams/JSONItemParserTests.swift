import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import TestSupport
import Testing
import Transport

// Behavior 5 of JSON coding: elements of an array while it arrives.
@Suite(.needsSlot) struct JSONItemParserTests {
    private func collect<Sequence: AsyncSequence>(_ sequence: Sequence) async throws -> [Sequence.Element] {
        var values: [Sequence.Element] = []
        for try await value in sequence { values.append(value) }
        return values
    }

    @Test func `items are decoded in chunks of any size`() {
        let text = #"{"data":{"results":[{"name":"a","price":1},{"price":2.5,"name":"]ä"}]},"next":null}"#
        let items = [Item(name: "a", price: 1), Item(name: "]ä", price: 2.5)]
        let parser = JSONItemParser(Item.self, at: ["data", "results"])
        let bytes = Data(text.utf8)
        for place in 0...bytes.count { #expect(parser.outcomes(of: bytes.cut(at: place)) == items.map { .value($0) }) }
        #expect(parser.outcomes(of: bytes.singleBytes) == items.map { .value($0) })
    }

    @Test func `an error has a code, a place and a path`() throws {
        func error(_ text: String, at path: [String] = [], maximumLength: Int = 100) throws -> StreamDecodingError {
            var parser = JSONItemParser(Item.self, at: path, maximumLength: maximumLength)
            parser.push(Data(text.utf8))
            parser.finish()
            do throws(StreamDecodingError) {
                while try parser.next() != nil {}
            } catch {
                return error
            }
            throw CocoaError(.coderReadCorrupt)
        }
        let mismatch = try error("{\"list\":[\n{\"name\":\"a\",\"price\":\"secret\"}]}", at: ["list"])
        #expect(mismatch.code == .unexpectedValue && mismatch.codingPath == "list[0].price")
        #expect(mismatch.byteOffset == 30 && mismatch.line == 2)
        #expect(mismatch.description == "Line 2: list[0].price is not of the type Double. [unexpectedValue]")
        #expect(try error("[1").code == .unexpectedValue)
        #expect(try error("[{").code == .invalidJSON)
        #expect(try error("{}", at: ["list"]).message == "list is missing.")
        #expect(try error("[]", at: ["list"]).message == "The root value is not of the kind that the path needs.")
        #expect(try error("[{\"name\":\"aaaaaaaaaaaaaaaaaaaa\"}]", maximumLength: 10).code == .itemTooLarge)
    }

    @Test func `the base is read on demand, and released when the loop is left`() async throws {
        let bytes = WatchedBytes(["[1,2", ",3,", "4]"])
        var iterator = bytes.items(of: Int.self).makeAsyncIterator()
        #expect(bytes.log.read == 0)
        #expect(try await iterator.next() == 1)
        #expect(bytes.log.read == 1)
        #expect(try await iterator.next() == 2)
        #expect(try await iterator.next() == 3)
        #expect(bytes.log.read == 2)
        let others = WatchedBytes(["[1,", "2,3", "]"])
        for try await item in others.items(of: Int.self) where item == 1 { break }
        #expect(others.log.alive == 0 && others.log.read == 1)
    }

    @Test func `a body that breaks off gives the items before it, and then its error`() async throws {
        let bytes = WatchedBytes(["[1,2,", "3"], breakingOff: BrokenOff())
        var iterator = bytes.items(of: Int.self).makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        #expect(try await iterator.next() == 2)
        await #expect(throws: BrokenOff()) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
        // An end that looks complete to the transport is an error too.
        await #expect(throws: StreamDecodingError.self) {
            try await collect(WatchedBytes(["[1,2"]).items(of: Int.self))
        }
    }

    @Test func `items of another type can be skipped`() async throws {
        let bytes = WatchedBytes(["[1,\"x\",{},", "2,null", ",3]"])
        let items = bytes.items(of: Int.self, invalidItems: .skip { _ in })
        #expect(try await collect(items) == [1, 2, 3])
    }

    @Test func `items arrive over a socket before the body ends`() async throws {
        let gate = Gate()
        let server = try LoopbackServer(script: { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 26\r\n\r\n"),
                .send("{\"list\":[1,2,"), .wait(for: gate), .send("3],\"next\":4} "),
            ]
        })
        try await server.stopping(after: { server in
            let transport = TestTransport.make(clock: ManualClock())
            let response = try await transport.stream(HTTPRequest(.get, server.url(of: "/")))
            var iterator = response.items(of: Int.self, at: "list").makeAsyncIterator()
            #expect(try await iterator.next() == 1)
            #expect(try await iterator.next() == 2)
            gate.open()
            #expect(try await iterator.next() == 3)
            #expect(try await iterator.next() == nil)
        })
    }
}
