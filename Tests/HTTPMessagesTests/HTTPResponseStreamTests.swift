import Foundation
import HTTPMessages
import Synchronization
import Testing

@Suite struct HTTPResponseStreamTests {
    /// Records its own deallocation.
    private struct Watched: AsyncSequence, Sendable {
        final class Token: Sendable {
            let isGone: Flag
            init(_ isGone: Flag) { self.isGone = isGone }
            deinit { isGone.raise() }
        }
        final class Flag: Sendable {
            private let state = Mutex(false)
            var isUp: Bool { state.withLock(\.self) }
            func raise() { state.withLock { $0 = true } }
        }
        struct Iterator: AsyncIteratorProtocol {
            let token: Token
            var count = 0
            mutating func next() async throws -> Data? {
                count += 1
                guard count < 4 else { throw HTTPMessageError(.invalidJSON, "That is all.") }
                return Data([UInt8(count)])
            }
        }
        let token: Token
        func makeAsyncIterator() -> Iterator { Iterator(token: token) }
    }

    private let head = HTTPResponseHead(status: .ok, url: URL(filePath: "/"))

    private func watched() -> (HTTPResponseStream, Watched.Flag) {
        let flag = Watched.Flag()
        return (HTTPResponseStream(head: head, body: Watched(token: Watched.Token(flag))), flag)
    }

    @Test func `an error follows the bytes before it`() async throws {
        let (response, _) = watched()
        var bytes: [UInt8] = []
        let error = await #expect(throws: HTTPMessageError.self) {
            for try await chunk in response.body { bytes += chunk }
        }
        #expect(error?.code == .invalidJSON && bytes == [1, 2, 3] && response.status == .ok)
    }

    @Test func `the body can be read only once`() async throws {
        let (response, _) = watched()
        for try await _ in response.body { break }
        let error = await #expect(throws: HTTPMessageError.self) { for try await _ in response.body {} }
        #expect(error?.code == .bodyAlreadyRead)
    }

    @Test func `leaving the loop releases the source before the response`() async throws {
        let (response, isGone) = watched()
        for try await _ in response.body {
            #expect(!isGone.isUp)
            break
        }
        #expect(isGone.isUp && response.status == .ok)
    }

    @Test func `an error releases the source before the iterator`() async throws {
        let (response, isGone) = watched()
        var iterator = response.body.makeAsyncIterator()
        while (try? await iterator.next()) != nil {}
        #expect(isGone.isUp)
        #expect(try await iterator.next() == nil)
    }

    @Test func `releasing an unread response releases the source`() {
        var pair: (HTTPResponseStream, Watched.Flag)? = watched()
        let isGone = pair?.1
        #expect(isGone?.isUp == false)
        pair = nil
        #expect(isGone?.isUp == true)
    }

    @Test func `the description shows no secrets`() throws {
        let url = try URL(httpString: "http://host/?token=secret")
        let fields = try HTTPFields(["Set-Cookie": "a=secret"])
        let response = HTTPResponseStream(
            head: HTTPResponseHead(status: .ok, fields: fields, url: url), body: AsyncStream<Data> { $0.finish() })
        var dumped = ""
        dump(response, to: &dumped)
        #expect(!"\(response) \(dumped)".contains("secret") && "\(response)".contains("200"))
    }
}
