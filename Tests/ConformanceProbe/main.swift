import Foundation
import HTTPMessages
import PatchbayTestKit
import Transport

// With `proxied URL`, sends the credentials of a proxy, and prints the status and whether a proxy challenges. Else runs
// one conformance case on URLSessionTransport, excluded or not, in a process that the case may end or exhaust. Exits
// with 0 when it conforms, 1 when it does not, and 2 for an unknown case.
let name = CommandLine.arguments.dropFirst().first ?? ""
if name == "proxied", let url = CommandLine.arguments.dropFirst(2).first {
    let fields = try HTTPFields(["Proxy-Authorization": "Basic YTpi"])
    let head = try await URLSessionTransport.shared.send(HTTPRequest(.get, url, fields: fields)).head
    print(head.status.code, head.isProxyChallenge)
    exit(0)
}
let cases = TransportConformance.cases + [.lackOfDescriptors]
guard let conformance = cases.first(where: { $0.name == name }) else {
    print("No such case: \"\(name)\".")
    exit(2)
}
do {
    try await conformance.run(on: .urlSession)
    print("The case passed.")
    exit(0)
} catch {
    print(error)
    exit(1)
}
