import CurlTransport
import Foundation
import HTTPMessages
import Transport
import WebSockets

// Sends messages to an echo server, and reads them back:
//
//     socket-echo ws://127.0.0.1:8765/ 100000 100 [in flight, default 1] [deflate]
//     socket-echo ws://127.0.0.1:8765/flood stop

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 2 else {
    print("usage: socket-echo URL (COUNT SIZE [IN-FLIGHT] [deflate] | stop)")
    exit(2)
}

func residentKiB() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return Int(line.filter(\.isNumber)) ?? 0
}

/// Sends and reads messages, off the main actor: that would be another thread's wakeup for each message.
@concurrent
func echo(_ count: Int, _ size: Int, _ inFlight: Int, over socket: WebSocket) async throws {
    let message = WebSocketMessage.text(String(repeating: "x", count: size))
    var reader = socket.messages.makeAsyncIterator()
    let start = ContinuousClock.now
    var (sent, received) = (0, 0)
    while received < count {
        while sent < count, sent - received < inFlight {
            try await socket.send(message)
            sent += 1
        }
        guard try await reader.next() == message else { fatalError("the server sent another message") }
        received += 1
    }
    let duration = ContinuousClock.now - start
    print(
        "\(count) messages of \(size) bytes, \(inFlight) in flight: \(duration), \(Int(Double(count) / (duration / .seconds(1)))) per second"
    )
}

let transport = try CurlTransport(.init(proxy: .none))
var options = WebSocketOptions()
if !arguments.contains("deflate") { options.compression = nil }
let socket: WebSocket
do {
    socket = try await transport.webSocket(arguments[0], options: options)
} catch {
    print("No connection: \(error); \((error as? TransportError)?.underlying.map { "\($0)" } ?? "no cause")")
    exit(1)
}

if arguments[1] == "stop" {
    // The server sends as fast as it can, and nothing is read after the first message.
    var reader = socket.messages.makeAsyncIterator()
    _ = try await reader.next()
    try await Task.sleep(for: .seconds(1))
    let before = residentKiB()
    try await Task.sleep(for: .seconds(5))
    print("resident: \(before) KiB, after 5 seconds without reading: \(residentKiB()) KiB")
} else if let count = Int(arguments[1]), let size = arguments.dropFirst(2).first.flatMap(Int.init) {
    let inFlight = arguments.dropFirst(3).first.flatMap(Int.init) ?? 1
    try await echo(count, size, inFlight, over: socket)
}
try await socket.close()
await transport.shutdown()
