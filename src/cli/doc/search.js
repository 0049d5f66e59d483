const field = document.getElementById("search"), list = document.getElementById("found");
field.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length ? items.filter(([path, , text]) => words.every(word => (path + " " + text).toLowerCase().includes(word))) : [];
  found.sort((a, b) => a[0].length - b[0].length);
  list.replaceChildren(...found.slice(0, 40).map(([path, page, text]) => {
    const entry = document.createElement("li"), link = document.createElement("a"), code = document.createElement("code");
    const [file, at] = page.split(/#(.*)/s);
    link.href = file + "#" + encodeURIComponent(at);
    code.textContent = path;
    link.append(code);
    entry.append(link, " " + text);
    return entry;
  }));
});
