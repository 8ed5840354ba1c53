import Foundation
import PatchbayTestKit

// Runs one conformance case on URLSessionTransport, excluded or not, in a process that the case may end or exhaust. Exits
// with 0 when it conforms, 1 when it does not, and 2 for an unknown case.
let name = CommandLine.arguments.dropFirst().first ?? ""
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
