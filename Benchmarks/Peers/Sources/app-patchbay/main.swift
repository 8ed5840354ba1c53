import Patchbay

let client = try APIClient(CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1/")
let item: [String: Int] = try await client.get("item")
print(item)
