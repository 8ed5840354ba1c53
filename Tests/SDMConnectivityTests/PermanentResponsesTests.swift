import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import SystemLibraries
import TestSupport
import Testing

@testable import SDMConnectivity

/// The files of a permanent cache.
@Suite(.needsSlot) struct PermanentResponsesTests {
    private static let now = Date(timeIntervalSince1970: 1_300_000_000)
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func cached(
        _ name: String, _ body: Data = Data("body".utf8), stored: Date = now, expires: Date? = nil, user: String? = nil
    ) throws -> CachedResponse {
        let request = try HTTPMessages.HTTPRequest(.get, "http://example.com/\(name)")
        return CachedResponse(request.response(body: body), for: request, stored: stored, expires: expires, user: user)
    }

    private func responses(_ change: (inout PermanentResponses.Limits) -> Void = { _ in }) -> PermanentResponses {
        var limits = PermanentResponses.Limits()
        change(&limits)
        return PermanentResponses(folder: folder.url.appending(path: "cache"), limits: limits)
    }

    private func files(_ responses: PermanentResponses) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: responses.folder, includingPropertiesForKeys: nil)
    }

    /// The names of the responses that are kept.
    private func kept(_ responses: PermanentResponses, of names: some Sequence<Int>) throws -> [Int] {
        try names.filter { try responses.response(for: "http://example.com/\($0)") != nil }
    }

    @Test func `a file that cannot be removed does not keep the others, and is the error`() throws {
        let responses = responses()
        for number in 0..<8 {
            try responses.insert(try cached("\(number)", user: number < 4 ? "ann" : nil), at: Self.now)
            // Not even root can unlink a folder.
            let obstacle = responses.folder.appending(path: "\(number).response")
            try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)
        }
        #expect(throws: (any Error).self) { try responses.removeAll { $0.user != nil } }
        #expect(try kept(responses, of: 0..<8) == [4, 5, 6, 7])
        #expect(throws: (any Error).self) { try responses.removeAll() }
        #expect(try kept(responses, of: 0..<8).isEmpty)
    }

    @Test func `a damaged file is never taken for a response, and is removed`() throws {
        let responses = responses()
        let body = Data((0..<200).map { UInt8($0) })
        try responses.insert(try cached("a", body), at: Self.now)
        let file = try #require(try files(responses).first)
        let whole = try Data(contentsOf: file)
        #expect(try responses.response(for: "http://example.com/a")?.body == body)
        var damaged: [Data] = [Data(), whole + Data([0]), whole + whole]
        for count in stride(from: 0, to: whole.count, by: 7) {
            damaged.append(whole.prefix(count))
            var changed = whole
            changed[count] ^= 1
            damaged.append(changed)
        }
        for data in damaged {
            try data.write(to: file)
            #expect(try responses.response(for: "http://example.com/a") == nil, "\(data.count)")
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test func `files and their folder are private`() throws {
        let responses = responses()
        try responses.insert(try cached("a"), at: Self.now)
        #expect(try FileStatus(at: responses.folder.path).mode == 0o700)
        #expect(try files(responses).map { try FileStatus(at: $0.path).mode } == [0o600])
    }

    @Test func `files of killed writers are removed, those of others are not`() throws {
        let responses = responses()
        try FileManager.default.createDirectory(at: responses.folder, withIntermediateDirectories: true)
        let held = try HeldFile(in: responses.folder, kind: "part")
        let names = [".\(UUID().uuidString).part", "app.part", ".part"]
        for name in names { try Data("x".utf8).write(to: responses.folder.appending(path: name)) }
        try responses.insert(try cached("a"), at: Self.now)
        #expect(try files(responses).count == 4)
        #expect(!FileManager.default.fileExists(atPath: responses.folder.appending(path: names[0]).path))
        held.delete()
    }

    @Test func `beyond the limit of bytes, expired responses are removed first, then the oldest`() throws {
        let size = try ResponseFile.data(of: try cached("1", Data(count: 10_000))).count
        let responses = responses { $0.bytes = 10 * size + 1000 }
        for number in 1...10 {
            let expires = Self.now + (number.isMultiple(of: 2) ? -60 : 60)
            try responses.insert(
                try cached("\(number)", Data(count: 10_000), stored: Self.now - Double(100 - number), expires: expires),
                at: Self.now)
        }
        #expect(try kept(responses, of: 1...10).count == 10)
        try responses.insert(try cached("11", Data(count: 10_000), expires: Self.now + 60), at: Self.now)
        #expect(try kept(responses, of: 1...11) == [1, 3, 5, 6, 7, 8, 9, 10, 11])
        for number in 12...14 {
            try responses.insert(
                try cached("\(number)", Data(count: 10_000), expires: Self.now + 60), at: Self.now)
        }
        let sum = try files(responses).reduce(0) { try $0 + FileStatus(at: $1.path).size }
        #expect(sum <= 10 * size + 1000)
        // A response that exceeds the limit alone replaces none but that of its URL.
        let count = try files(responses).count
        try responses.insert(try cached("14", Data(count: 200_000)), at: Self.now)
        #expect(try files(responses).count == count - 1)
    }

    @Test func `beyond the limit of files, the oldest are removed`() throws {
        let responses = responses { $0.count = 10 }
        for number in 1...11 {
            try responses.insert(
                try cached("\(number)", stored: Self.now + Double(number), expires: Self.now + 1000), at: Self.now)
        }
        #expect(try kept(responses, of: 1...11) == Array(3...11))
    }

    @Test func `the first response of a process removes those that have expired long ago, and damaged files`() throws {
        let old = responses()
        try old.insert(try cached("1", stored: Self.now - 100 * 86_400, expires: Self.now - 31 * 86_400), at: Self.now)
        try old.insert(try cached("2", stored: Self.now - 100 * 86_400, expires: Self.now - 29 * 86_400), at: Self.now)
        try old.insert(try cached("3", stored: Self.now - 31 * 86_400), at: Self.now)
        try Data("x".utf8).write(to: old.folder.appending(path: "0.response"))
        let new = responses()
        try new.insert(try cached("4"), at: Self.now)
        #expect(try kept(new, of: 1...4) == [2, 4] && files(new).count == 2)
    }

    @Test func `the responses of users are removed, those without one stay`() throws {
        let responses = responses()
        try responses.insert(try cached("1", user: "ann"), at: Self.now)
        try responses.insert(try cached("2"), at: Self.now)
        try responses.removeAll { $0.user != nil }
        #expect(try kept(responses, of: 1...2) == [2])
        try responses.removeAll()
        #expect(try files(responses).isEmpty)
    }
}
