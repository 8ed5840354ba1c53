import Foundation
import PatchbayTestKit

// Holds the network against one case, excluded or not, in a process of its own that it may end. Exits with 0 when it
// conforms and 1 when it does not.
let name = CommandLine.arguments.dropFirst().first ?? ""
guard let conformance = TransportConformance.cases.first(where: { $0.name == name }) else {
    print("There is no case \"\(name)\".")
    exit(2)
}
do {
    try await conformance.run(on: .urlSession)
    print("It conforms.")
    exit(0)
} catch {
    print(error)
    exit(1)
}
