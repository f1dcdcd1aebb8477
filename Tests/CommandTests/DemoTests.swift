import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct DemoTests {
  @Test func `the demonstration discovers, refreshes, reads, resolves and inspects`() throws {
    let folder = try TemporaryFolder()
    let run = try Command.run("demo", folder.file("new"))
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    let image = folder.file("new/demo.image")
    for part in [
      "The image is \(image)\n", "1. Discovery", "2. Refresh by id", "50 of 50 ids answered",
      "0 created, 3 changed, 103 unchanged; 49 of 50 ids answered; 1 error",
      "I_lighthouse_50: notFound", "RefreshRowsQuery for all 50 ids: complete",
      "IssueRow_issue of I_lighthouse_7: complete", "/issue(number:7) is I_lighthouse_7",
      "Records by type", "Issue                 50",
    ] {
      #expect(run.output.contains(part), "\(part)")
    }
    #expect(try Command.run("verify", image).status == 0)
  }

  @Test func `the demonstration overwrites nothing`() throws {
    let folder = try TemporaryFolder()
    #expect(try Command.run("demo", folder.path).status == 0)
    let run = try Command.run("demo", folder.path)
    #expect(run.status == 1)
    #expect(run.errors.contains("demo.image is there already"))
  }
}
