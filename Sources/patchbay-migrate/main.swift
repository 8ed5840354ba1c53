import Foundation
import PatchbayMigration

let result = Command.run(Array(CommandLine.arguments.dropFirst()))
if !result.output.isEmpty { print(result.output) }
if !result.error.isEmpty { FileHandle.standardError.write(Data((result.error + "\n").utf8)) }
exit(result.status)
