// Compares a decoded GET of this package's client with the same one of other clients, over loopback.

import Alamofire
import Foundation
import Patchbay
import PatchbayTestKit
import Rounds

if CommandLine.arguments.dropFirst().first == "--serve" {
    let body = try JSONCoding.standard.encode(Item())
    let fields = try HTTPFields(["Content-Type": "application/json"])
    let server = try LoopbackServer(limits: .init(recordedRequests: 0)) { $0.response(fields: fields, body: body) }
    print(server.port)
    fflush(nil)
    _ = try FileHandle.standardInput.readToEnd()
    await server.stop()
    exit(0)
}

// The server is a process of its own, which ends with its input.
let (server, input, output) = (Process(), Pipe(), Pipe())
server.executableURL = URL(filePath: CommandLine.arguments[0])
server.arguments = ["--serve"]
server.standardInput = input
server.standardOutput = output
try server.run()
var port = ""
while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
    port.append(Character(Unicode.Scalar(byte)))
}
let address = "http://127.0.0.1:\(port)/"

let client = try APIClient(address)
let configuration = URLSessionConfiguration.ephemeral
configuration.httpMaximumConnectionsPerHost = 32
let alamofire = Alamofire.Session(configuration: configuration)
let subject = Peer(name: "Patchbay") { try await client.get("item") }
let peers = [
    Peer(name: "Alamofire") {
        try await alamofire.request(address + "item").validate().serializingDecodable(Item.self).value
    }
]
for inFlight in [1, 16] {
    for peer in peers {
        try await Rounds.compareTimes("Decoded GET, \(inFlight) in flight", against: peer.name) {
            try await subject.get(1600, inFlight: inFlight)
        } peer: {
            try await peer.get(1600, inFlight: inFlight)
        }
    }
}
try input.fileHandleForWriting.close()
server.waitUntilExit()
