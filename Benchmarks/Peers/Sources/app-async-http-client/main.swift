import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat

let address = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1/"
let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: address + "item"), timeout: .seconds(60))
let body = try await response.body.collect(upTo: 1 << 20)
print(try JSONDecoder().decode([String: Int].self, from: body))
