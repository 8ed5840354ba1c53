// Child process of the tests of caches; see CacheProcessTests. It sends requests through a cache in a file, over a
// transport without a network, and prints a line for every tenth response, until it is killed or has sent all.

import Foundation
import HTTPCaching
import HTTPMessages
import SQLiteStore
import Transport

let arguments = CommandLine.arguments
guard arguments.count == 5, let first = Int(arguments[3]), let count = Int(arguments[4]) else {
    print("Usage: cache-writer <file>.sqlite <folder of files> <first number> <count>")
    exit(2)
}

var configuration = SQLiteStore.Configuration()
configuration.busyTimeout = .seconds(3_600)
let cache = HTTPCache(
    in: try SQLiteStore(.file(arguments[1]), configuration: configuration), files: URL(filePath: arguments[2]),
    limits: .init(bytes: 4 << 20, entries: 500, rowBytes: 4_000))
let transport = FakeTransport { request in
    let number = Int(request.url.lastPathComponent) ?? 0
    let body = Data(repeating: UInt8(number % 251), count: number % 10 == 0 ? 6_000 : 500)
    return HTTPResponse(
        status: .ok, fields: try HTTPFields(["Cache-Control": "max-age=86400", "N": "\(number)"]), body: body,
        url: request.url)
}.caching(in: cache)

// Opens the tables, for which a call waits at most a second.
if let other = URL(string: "https://api.test/none") { try await cache.remove(other) }
for number in first..<(first + count) {
    _ = try await transport.send(HTTPRequest(.get, "https://api.test/\(number)"))
    if number % 10 == 9 {
        await cache.waitUntilIdle()
        FileHandle.standardOutput.write(Data("\(number)\n".utf8))
    }
}
await cache.waitUntilIdle()
